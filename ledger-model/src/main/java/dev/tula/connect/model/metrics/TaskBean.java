package dev.tula.connect.model.metrics;

/** The bean of one task, or of something that a task has. */
public interface TaskBean {
  /** Tells this instance from its successor under the same name. */
  String getInstanceId();
}
