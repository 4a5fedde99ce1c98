package dev.tula.connect.local;

import java.time.Duration;

/** Ends a run in which nothing moves any more. For one thread. */
final class StallWatch {
  private final Duration limit;
  private long lastBatch = -1;
  private long lastRows = -1;
  private long movedNanos = System.nanoTime();

  StallWatch(Duration limit) {
    this.limit = limit;
  }

  /** Something moved. */
  void moved() {
    movedNanos = System.nanoTime();
  }

  /**
   * Looks whether something moved since the last look.
   *
   * @throws StackException if nothing has for longer than the limit
   */
  void check(Progress.State state) {
    if (state.watermarkBatch() != lastBatch || state.sentRows() != lastRows) {
      lastBatch = state.watermarkBatch();
      lastRows = state.sentRows();
      moved();
    } else if (System.nanoTime() - movedNanos > limit.toNanos()) {
      throw new StackException(
          "nothing has moved for "
              + limit.toSeconds()
              + " s: the lake is complete up to batch "
              + lastBatch
              + " of "
              + state.headBatch());
    }
  }
}
