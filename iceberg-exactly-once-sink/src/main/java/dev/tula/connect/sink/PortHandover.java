package dev.tula.connect.sink;

/**
 * Hands a partition's ports from the thread that opened them to the writer's. Whoever comes too
 * late, or never comes for them, leaves none open: a lease that nobody needs would be renewed until
 * the task stops. Safe for any thread.
 */
final class PortHandover {
  private PartitionPorts given;
  private boolean ended;

  /**
   * Gives ports that were opened; closes them if the writer has ended meanwhile.
   *
   * @param arrival tells the writer, if it has not
   */
  void give(PartitionPorts opened, Runnable arrival) {
    if (accepts(opened)) {
      arrival.run();
    } else {
      opened.close();
    }
  }

  private synchronized boolean accepts(PartitionPorts opened) {
    if (!ended) {
      given = opened;
    }
    return !ended;
  }

  /** Takes what was given; null if nothing was, or it was taken before. */
  synchronized PartitionPorts take() {
    PartitionPorts taken = given;
    given = null;
    return taken;
  }

  /** The writer has ended: closes what was given and not taken, and whatever comes yet. */
  void end() {
    PartitionPorts left = endAndTake();
    if (left != null) {
      left.close();
    }
  }

  private synchronized PartitionPorts endAndTake() {
    ended = true;
    return take();
  }
}
