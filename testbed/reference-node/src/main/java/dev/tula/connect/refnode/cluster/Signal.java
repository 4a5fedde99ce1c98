package dev.tula.connect.refnode.cluster;

import java.util.concurrent.TimeUnit;

/** Wakes whoever waits for the cluster to change. Safe for any thread. */
public final class Signal {
  private long version;

  /** A number that grows with each change. */
  synchronized long version() {
    return version;
  }

  /** Something changed. */
  synchronized void changed() {
    version++;
    notifyAll();
  }

  /**
   * Waits until the version is no longer this one, but not beyond the deadline.
   *
   * @param deadlineNanos by {@link System#nanoTime}
   * @return false if the deadline passed first
   */
  synchronized boolean await(long seen, long deadlineNanos) throws InterruptedException {
    while (version == seen) {
      long left = deadlineNanos - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return true;
  }
}
