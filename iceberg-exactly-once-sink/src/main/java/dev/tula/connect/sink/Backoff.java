package dev.tula.connect.sink;

import java.util.concurrent.ThreadLocalRandom;

/**
 * How a call that failed for a passing cause is tried again: after waits that double, with jitter,
 * up to a limit, until it has failed for too long.
 *
 * @param initialMs the first wait
 * @param maxMs the longest wait
 * @param timeoutMs how long it may fail
 */
public record Backoff(long initialMs, long maxMs, long timeoutMs) {
  /** The wait after so many failures in a row, from 1; between half and all of its full length. */
  public long waitMs(int failures) {
    long full = Math.min(maxMs, initialMs << Math.min(failures - 1, 20));
    return full / 2 + ThreadLocalRandom.current().nextLong(full / 2 + 1);
  }
}
