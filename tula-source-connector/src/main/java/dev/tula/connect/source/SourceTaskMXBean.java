package dev.tula.connect.source;

import dev.tula.connect.model.metrics.PartitionBean;

/**
 * The metrics of one export partition, registered as {@code
 * tula.connect:type=source-task,connector=…,task=…,partition=…}.
 */
public interface SourceTaskMXBean
    extends PartitionBean,
        LifeMetrics,
        ProgressMetrics,
        LeaseMetrics,
        AckMetrics,
        ConnectionMetrics {}
