package dev.tula.connect.source;

/** How long something has failed without a success in between. Not thread-safe. */
final class Outage {
  private int failures;
  private long sinceMs;

  /**
   * It failed.
   *
   * @return for how long it has by now, ms
   */
  long failed(long nowMs) {
    if (failures == 0) {
      sinceMs = nowMs;
    }
    failures++;
    return nowMs - sinceMs;
  }

  /** It succeeded. */
  void over() {
    failures = 0;
  }

  /** How often it was repeated before the last failure: the attempt to wait for, from 0. */
  int repeats() {
    return Math.max(0, failures - 1);
  }
}
