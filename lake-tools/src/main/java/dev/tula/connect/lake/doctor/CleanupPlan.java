package dev.tula.connect.lake.doctor;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * How {@code tula-lake cleanup --execute} is scheduled.
 *
 * @param every how often it runs; absent where nobody said
 * @param olderThan its {@code --older-than}
 * @param keep its {@code --keep}, 1 or more
 */
public record CleanupPlan(Optional<Duration> every, Duration olderThan, int keep) {
  /** Checks the parts. */
  public CleanupPlan {
    Objects.requireNonNull(olderThan, "olderThan");
    if (every.filter(span -> span.isZero() || span.isNegative()).isPresent()
        || olderThan.isNegative()
        || keep < 1) {
      throw new IllegalArgumentException(
          "cleanup every " + every + ", older than " + olderThan + ", keep " + keep);
    }
  }
}
