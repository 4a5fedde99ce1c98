package dev.tula.connect.model.metrics;

/** The bean of one export partition in one task. */
public interface PartitionBean extends TaskBean {}
