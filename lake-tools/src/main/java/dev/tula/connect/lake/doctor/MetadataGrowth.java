package dev.tula.connect.lake.doctor;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * How large a table's metadata file becomes between two runs of the cleanup.
 *
 * <p>A table gets one snapshot for each range that has rows for it, the watermark's for each range;
 * a range is cut every {@code tula.commit.interval.ms}, or earlier by rows or bytes, which is not
 * foreseen here. Each run of the cleanup that expires something leaves one empty snapshot. So just
 * before a run a table has at most
 *
 * <pre>
 *   n = max(keep, olderThan / interval) + every / interval + olderThan / every + 3
 * </pre>
 *
 * snapshots, quotients rounded up: the young ones of the last run, those made since, the cleanup's
 * own, and three that are kept whatever their age; and a metadata file of
 *
 * <pre>
 *   F + n S + m L
 * </pre>
 *
 * bytes, with F for schema, properties and state, S for a snapshot with its summary and its entry
 * in the snapshot log, m for {@code write.metadata.previous-versions-max} and L for an entry of the
 * metadata log. The largest is that of the watermark table, whose summaries have a part for each of
 * the t tables of the layout:
 *
 * <pre>
 *   S = A + t B
 * </pre>
 *
 * F, A, B and L were measured on tables that the sink wrote (1,600 and 250 for A and B), and have
 * room for longer names and paths.
 *
 * @param interval how often a range is committed
 * @param tables t
 * @param previousVersions m
 */
record MetadataGrowth(Duration interval, int tables, int previousVersions) {
  /** F. */
  static final long FIXED_BYTES = 16L << 10;

  /** A. */
  private static final long SNAPSHOT_BYTES = 2_000;

  /** B. */
  private static final long SNAPSHOT_TABLE_BYTES = 320;

  /** L. */
  static final long LOG_ENTRY_BYTES = 300;

  /** Of a limit so much is used, as ranges may be cut early. */
  private static final double USABLE = 0.8;

  private static final int KEPT_ALWAYS = 3;

  /** Spans that a schedule may have, the longest first. */
  private static final List<Duration> SPANS =
      List.of(
          Duration.ofDays(5),
          Duration.ofDays(2),
          Duration.ofDays(1),
          Duration.ofHours(12),
          Duration.ofHours(6),
          Duration.ofHours(4),
          Duration.ofHours(2),
          Duration.ofHours(1),
          Duration.ofMinutes(30),
          Duration.ofMinutes(15),
          Duration.ofMinutes(10),
          Duration.ofMinutes(5),
          Duration.ofMinutes(2),
          Duration.ofMinutes(1));

  /** S. */
  long snapshotBytes() {
    return SNAPSHOT_BYTES + tables * SNAPSHOT_TABLE_BYTES;
  }

  /** Snapshots just before a run, of a cleanup that runs so often. */
  long snapshots(Duration every, Duration olderThan, int keep) {
    return Math.max(keep, quotient(olderThan, interval))
        + quotient(every, interval)
        + quotient(olderThan, every)
        + KEPT_ALWAYS;
  }

  /** The metadata file's bytes with so many snapshots. */
  long bytes(long snapshots) {
    return FIXED_BYTES + snapshots * snapshotBytes() + previousVersions * LOG_ENTRY_BYTES;
  }

  /** Whether a cleanup keeps the metadata file well below a limit. */
  boolean keepsBelow(long limitBytes, Duration every, Duration olderThan, int keep) {
    return bytes(snapshots(every, olderThan, keep)) <= usable(limitBytes);
  }

  /** How often a cleanup has to run at least; absent where no schedule is often enough. */
  Optional<Duration> neededEvery(long limitBytes, Duration olderThan, int keep) {
    return SPANS.stream()
        .filter(every -> keepsBelow(limitBytes, every, olderThan, keep))
        .findFirst();
  }

  /**
   * What {@code --older-than} may be at most, with a run as often as that; absent where even a
   * minute is too long.
   */
  Optional<Duration> neededOlderThan(long limitBytes, int keep) {
    return SPANS.stream().filter(span -> keepsBelow(limitBytes, span, span, keep)).findFirst();
  }

  /** How long until a table that nobody cleans up is full. */
  Duration full(long limitBytes) {
    long snapshots = Math.max(0, (limitBytes - bytes(0)) / snapshotBytes());
    return interval.multipliedBy(snapshots);
  }

  /** Bytes that a day adds. */
  long bytesPerDay() {
    return quotient(Duration.ofDays(1), interval) * snapshotBytes();
  }

  private static long usable(long limitBytes) {
    return (long) (USABLE * limitBytes);
  }

  /** Rounded up. */
  private static long quotient(Duration span, Duration by) {
    return (span.toMillis() + by.toMillis() - 1) / by.toMillis();
  }
}
