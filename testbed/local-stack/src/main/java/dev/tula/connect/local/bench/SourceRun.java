package dev.tula.connect.local.bench;

import java.time.Duration;

/**
 * One ledger read into Kafka by one task.
 *
 * @param rows so many records of it
 * @param bytes their canonical bytes
 * @param sinceStart from the connector's PUT to the last record in Kafka
 * @param sinceFirst from when there was something in Kafka to the last record
 * @param share which part of it all came in that time
 * @param polling what the task's polls took together: where it is most of the time, Connect waits
 *     for the ledger, and where it is little, the ledger waits for Connect
 * @param cpu processor time of the worker from the connector's PUT on
 */
record SourceRun(
    long rows,
    long bytes,
    Duration sinceStart,
    Duration sinceFirst,
    double share,
    Duration polling,
    Duration cpu) {
  private static final double NANOS_PER_SECOND = 1e9;

  /** Once it runs; 0 if all came at one time. */
  double rowsPerSecond() {
    return sinceFirst.isZero() ? 0 : rows * share / seconds(sinceFirst);
  }

  /** With the connector's start. */
  double rowsPerSecondSinceStart() {
    return rows / seconds(sinceStart);
  }

  static double seconds(Duration time) {
    return time.toNanos() / NANOS_PER_SECOND;
  }
}
