package dev.tula.connect.source;

/**
 * The metrics of one export partition, registered as {@code
 * tula.connect:type=source-task,connector=…,task=…,partition=…}.
 */
public interface SourceTaskMXBean
    extends LifeMetrics, ProgressMetrics, LeaseMetrics, AckMetrics, ConnectionMetrics {
  /** Tells this bean from one that came before or after it under the same name. */
  String getInstanceId();
}
