package dev.tula.connect.source;

import dev.tula.connect.queryport.Clock;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** Counts how long the polls of one task took, from its start on. Safe for any thread. */
final class PollTimes implements SourcePollsMXBean {
  private static final long NANOS_PER_MS = 1_000_000;
  private static final double NANOS_PER_SECOND = 1e9;

  private final String instanceId = UUID.randomUUID().toString();
  private final Clock clock;
  private final long startedEpochMs;
  private final long startedElapsedMs;

  /**
   * Polls by the least limit, in ms, that they were within. Those beyond every limit are in none.
   */
  private final NavigableMap<Long, Long> polls = new TreeMap<>();

  private long total;
  private long totalNanos;
  private long longestMs;

  PollTimes(Clock clock) {
    this.clock = clock;
    this.startedEpochMs = clock.epochMs();
    this.startedElapsedMs = clock.elapsedMs();
    LongStream.of(1, 5, 10, 50, 100, 250, 500, 1_000, 2_000).forEach(limit -> polls.put(limit, 0L));
  }

  /** A poll returned, or failed, after so long. */
  synchronized void took(long nanos) {
    long ms = (nanos + NANOS_PER_MS - 1) / NANOS_PER_MS;
    Long limit = polls.ceilingKey(ms);
    if (limit != null) {
      polls.merge(limit, 1L, Long::sum);
    }
    total++;
    totalNanos += nanos;
    longestMs = Math.max(longestMs, ms);
  }

  private synchronized long within(long limitMs) {
    return polls.headMap(limitMs, true).values().stream().mapToLong(Long::longValue).sum();
  }

  /** All of it in one line, for the log. */
  synchronized String describe() {
    return "it ran for "
        + (clock.elapsedMs() - startedElapsedMs)
        + " ms and polled "
        + total
        + " times, the longest "
        + longestMs
        + " ms; within ms: "
        + polls.keySet().stream()
            .map(limit -> limit + "=" + within(limit))
            .collect(Collectors.joining(" "))
        + " ("
        + instanceId
        + ")";
  }

  @Override
  public String getInstanceId() {
    return instanceId;
  }

  @Override
  public long getStartedUnix() {
    return TimeUnit.MILLISECONDS.toSeconds(startedEpochMs);
  }

  @Override
  public synchronized long getPollsTotal() {
    return total;
  }

  @Override
  public synchronized double getPollSecondsTotal() {
    return totalNanos / NANOS_PER_SECOND;
  }

  @Override
  public synchronized long getLongestPollMs() {
    return longestMs;
  }

  @Override
  public long getPollsWithin1Ms() {
    return within(1);
  }

  @Override
  public long getPollsWithin5Ms() {
    return within(5);
  }

  @Override
  public long getPollsWithin10Ms() {
    return within(10);
  }

  @Override
  public long getPollsWithin50Ms() {
    return within(50);
  }

  @Override
  public long getPollsWithin100Ms() {
    return within(100);
  }

  @Override
  public long getPollsWithin250Ms() {
    return within(250);
  }

  @Override
  public long getPollsWithin500Ms() {
    return within(500);
  }

  @Override
  public long getPollsWithin1000Ms() {
    return within(1000);
  }

  @Override
  public long getPollsWithin2000Ms() {
    return within(2000);
  }
}
