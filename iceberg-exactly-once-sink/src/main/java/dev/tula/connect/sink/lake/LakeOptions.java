package dev.tula.connect.sink.lake;

import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/**
 * How a lake is written.
 *
 * @param createProps table properties set at creation, over the defaults
 * @param writeProps writer properties, over the tables' own
 * @param callLimit the longest that one call to the catalog may take, retries and all
 * @param fileLimit the longest that writing or reading a range's rows may take
 * @param multiTable whether a range's tables are committed in one transaction of the catalog's
 *     (C22)
 * @param maxRowGroupBytes what a table's own properties and {@code writeProps} are capped at
 * @param clock tells when a watermark was published; nothing is decided by it
 */
public record LakeOptions(
    Map<String, String> createProps,
    Map<String, String> writeProps,
    Duration callLimit,
    Duration fileLimit,
    boolean multiTable,
    long maxRowGroupBytes,
    Clock clock) {
  /** Checks the parts and copies the maps. */
  public LakeOptions {
    createProps = Map.copyOf(createProps);
    writeProps = Map.copyOf(writeProps);
    Objects.requireNonNull(callLimit, "callLimit");
    Objects.requireNonNull(fileLimit, "fileLimit");
    Objects.requireNonNull(clock, "clock");
  }

  /** With a minute for a call, ten for a file, and the system's clock. */
  public static LakeOptions of(Map<String, String> createProps, Map<String, String> writeProps) {
    return new LakeOptions(
        createProps,
        writeProps,
        Duration.ofMinutes(1),
        Duration.ofMinutes(10),
        false,
        Long.MAX_VALUE,
        Clock.systemUTC());
  }

  /**
   * The same, with other time limits.
   *
   * @param call as {@link #callLimit}
   * @param file as {@link #fileLimit}
   */
  public LakeOptions withLimits(Duration call, Duration file) {
    return new LakeOptions(
        createProps, writeProps, call, file, multiTable, maxRowGroupBytes, clock);
  }

  /** The same, with a range's tables in one transaction of the catalog's, or side by side. */
  public LakeOptions withMultiTable(boolean together) {
    return new LakeOptions(
        createProps, writeProps, callLimit, fileLimit, together, maxRowGroupBytes, clock);
  }

  /** The same, with row groups of at most so many bytes. */
  public LakeOptions withMaxRowGroupBytes(long bytes) {
    return new LakeOptions(createProps, writeProps, callLimit, fileLimit, multiTable, bytes, clock);
  }
}
