package dev.tula.connect.local.chaos;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * How many calls took how long. Safe for any thread.
 *
 * @param counts calls by the least limit, in ms, that they were within
 * @param beyond calls that took longer than every limit
 * @param longestMs what the longest took, in ms
 */
record Durations(NavigableMap<Long, Long> counts, long beyond, long longestMs) {
  /** The limits that calls are counted by, those of the source task's MBean. */
  static final List<Long> LIMITS_MS = List.of(1L, 5L, 10L, 50L, 100L, 250L, 500L, 1_000L, 2_000L);

  static final Durations NONE = ofWithin(Map.of(), 0, 0);

  Durations {
    counts = Collections.unmodifiableNavigableMap(new TreeMap<>(counts));
  }

  /**
   * From counts each of which includes those before it.
   *
   * @param within by limit; those of a limit that is not there are none
   * @param total of all calls
   */
  static Durations ofWithin(Map<Long, Long> within, long total, long longestMs) {
    NavigableMap<Long, Long> counts = new TreeMap<>();
    long before = 0;
    for (long limit : LIMITS_MS) {
      long count = within.getOrDefault(limit, before);
      counts.put(limit, count - before);
      before = count;
    }
    return new Durations(counts, total - before, longestMs);
  }

  /** One call. */
  static Durations ofCall(long ms) {
    NavigableMap<Long, Long> within = new TreeMap<>();
    LIMITS_MS.forEach(limit -> within.put(limit, ms <= limit ? 1L : 0L));
    return ofWithin(within, 1, ms);
  }

  /** These calls and others. */
  Durations plus(Durations more) {
    NavigableMap<Long, Long> sums = new TreeMap<>(counts);
    more.counts.forEach((limit, count) -> sums.merge(limit, count, Long::sum));
    return new Durations(sums, beyond + more.beyond, Math.max(longestMs, more.longestMs));
  }

  /** How many took longer than one of the limits. */
  long over(long limitMs) {
    return beyond + sum(counts.tailMap(limitMs, false));
  }

  /** How many there were. */
  long total() {
    return beyond + sum(counts);
  }

  private static long sum(Map<Long, Long> counts) {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }
}
