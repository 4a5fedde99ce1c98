package dev.tula.connect.queryport;

import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;

/** A point in time by which something must be done, however many reads it takes. */
final class Deadline {
  private final long endNanos;
  private final long limitMs;

  private Deadline(long limitMs) {
    this.limitMs = limitMs;
    this.endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMs);
  }

  static Deadline in(long limitMs) {
    return new Deadline(limitMs);
  }

  /**
   * The milliseconds left, 1 or more, as a socket takes them.
   *
   * @throws SocketTimeoutException if there are none
   */
  int remainingMs() throws SocketTimeoutException {
    long leftNanos = endNanos - System.nanoTime();
    if (leftNanos <= 0) {
      throw new SocketTimeoutException("no complete answer within " + limitMs + " ms");
    }
    return (int) Math.min(Integer.MAX_VALUE, Math.max(1, TimeUnit.NANOSECONDS.toMillis(leftNanos)));
  }
}
