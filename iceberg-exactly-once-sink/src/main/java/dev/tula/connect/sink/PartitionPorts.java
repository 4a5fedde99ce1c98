package dev.tula.connect.sink;

import dev.tula.connect.sink.engine.EventLog;
import dev.tula.connect.sink.engine.Lake;
import dev.tula.connect.sink.fencing.LeaseKeeper;
import java.util.Optional;

/**
 * What one partition's writer reaches the world through.
 *
 * @param lake its tables
 * @param events its event topics
 * @param lease what it must hold to write, where fencing by leases is on
 * @param whenClosed closes all of it
 */
record PartitionPorts(Lake lake, EventLog events, Optional<LeaseKeeper> lease, Runnable whenClosed)
    implements AutoCloseable {
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

  /** Ends what is under way, and gives the lease up. May be called again. */
  @Override
  public void close() {
    whenClosed.run();
  }
}
