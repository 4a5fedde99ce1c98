package dev.tula.connect.queryport;

import org.slf4j.Logger;

/** Warns at most once a minute, and says how often it kept silent. Not thread-safe. */
public final class LimitedLog {
  private static final long INTERVAL_MS = 60_000;

  private final Logger log;
  private final Clock clock;
  private boolean warned;
  private long lastMs;
  private long suppressed;

  /** Warns through a logger, by a clock. */
  public LimitedLog(Logger log, Clock clock) {
    this.log = log;
    this.clock = clock;
  }

  /** Warns, or counts. Returns whether it warned. */
  public boolean warn(String message) {
    long nowMs = clock.elapsedMs();
    if (warned && nowMs - lastMs < INTERVAL_MS) {
      suppressed++;
      return false;
    }
    log.warn(
        "{}{}",
        message,
        suppressed == 0 ? "" : " (and " + suppressed + " times since the last warning)");
    warned = true;
    lastMs = nowMs;
    suppressed = 0;
    return true;
  }
}
