package dev.tula.connect.model.metrics;

/** The bean of one export partition in one task. */
public interface PartitionBean {
  /** Tells this instance from its successor under the same name. */
  String getInstanceId();
}
