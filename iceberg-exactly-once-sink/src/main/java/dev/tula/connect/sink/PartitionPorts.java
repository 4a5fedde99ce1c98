package dev.tula.connect.sink;

import dev.tula.connect.sink.engine.EventLog;
import dev.tula.connect.sink.engine.Lake;

/**
 * What one partition's writer reaches the world through.
 *
 * @param lake its tables
 * @param events its event topics
 */
record PartitionPorts(Lake lake, EventLog events) {
  /** Opens ports, over connections that all of a task's partitions share. */
  interface Factory extends AutoCloseable {
    /**
     * Opens a partition's ports, and checks the topics that it needs. Called on a background
     * thread, again after a passing failure.
     *
     * @throws dev.tula.connect.sink.engine.LakeException as {@link Lake} does
     */
    PartitionPorts open(int partition);

    /** Closes what was opened, without waiting for an opening that is under way. */
    @Override
    void close();
  }
}
