package dev.tula.connect.source;

import dev.tula.connect.model.metrics.TaskBean;

/**
 * How long the calls of a task's {@code poll()} took, registered as {@code
 * tula.connect:type=source-polls,connector=…,task=…}. A poll waits for records for up to a quarter
 * of a second, and should never take longer than one.
 *
 * <p>{@code PollsWithinXMs} counts the polls that took X ms or less, so that each includes those
 * before it, as the buckets of a Prometheus histogram do.
 */
public interface SourcePollsMXBean extends TaskBean {
  /** When the task started, in seconds since the epoch. */
  long getStartedUnix();

  /** Polls that returned or failed. */
  long getPollsTotal();

  /** What they took together, in seconds. */
  double getPollSecondsTotal();

  /** What the longest took, in ms, rounded up. */
  long getLongestPollMs();

  /** Those within 1 ms. */
  long getPollsWithin1Ms();

  /** Those within 5 ms. */
  long getPollsWithin5Ms();

  /** Those within 10 ms. */
  long getPollsWithin10Ms();

  /** Those within 50 ms. */
  long getPollsWithin50Ms();

  /** Those within 100 ms. */
  long getPollsWithin100Ms();

  /** Those within 250 ms. */
  long getPollsWithin250Ms();

  /** Those within 500 ms. */
  long getPollsWithin500Ms();

  /** Those within 1 s, where each should be. */
  long getPollsWithin1000Ms();

  /** Those within 2 s. */
  long getPollsWithin2000Ms();
}
