package dev.tula.connect.queryport;

import java.util.random.RandomGenerator;

/**
 * How long to wait between attempts, and when to give up.
 *
 * @param initialBackoffMs the first wait, doubled with each further one
 * @param maxBackoffMs no wait is longer
 * @param timeoutMs an operation that has failed for so long fails for good
 * @param indexTakenTimeoutMs likewise, while another client holds the lease
 */
public record RetryPolicy(
    long initialBackoffMs, long maxBackoffMs, long timeoutMs, long indexTakenTimeoutMs) {
  private static final int MAX_DOUBLINGS = 30;

  /**
   * Checks the numbers.
   *
   * @throws IllegalArgumentException if one is out of range
   */
  public RetryPolicy {
    if (initialBackoffMs < 1 || maxBackoffMs < initialBackoffMs) {
      throw new IllegalArgumentException(
          "back-off must be 1 ms or more and grow, not "
              + initialBackoffMs
              + " to "
              + maxBackoffMs);
    }
    if (timeoutMs < 0 || indexTakenTimeoutMs < 0) {
      throw new IllegalArgumentException("retry time-outs must not be negative");
    }
  }

  /**
   * The wait before attempt {@code attempt}, from 0: exponential, capped, and jittered down to half
   * of it, so that many clients don't come back in step.
   */
  public long backoffMs(int attempt, RandomGenerator random) {
    long doubled = initialBackoffMs << Math.min(attempt, MAX_DOUBLINGS);
    long capped = doubled <= 0 ? maxBackoffMs : Math.min(doubled, maxBackoffMs);
    return capped - (long) (random.nextDouble() * (capped / 2));
  }

  /** The same policy with another limit on the whole. */
  public RetryPolicy withTimeoutMs(long newTimeoutMs) {
    return new RetryPolicy(initialBackoffMs, maxBackoffMs, newTimeoutMs, indexTakenTimeoutMs);
  }
}
