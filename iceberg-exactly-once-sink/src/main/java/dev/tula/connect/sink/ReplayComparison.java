package dev.tula.connect.sink;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.sink.engine.Finding;
import dev.tula.connect.sink.engine.HaltReason;
import dev.tula.connect.sink.engine.Lake;
import dev.tula.connect.sink.engine.Layout;
import dev.tula.connect.sink.engine.LogicalTable;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.engine.TooManyRowsException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Replayed rows that are older than the window, gathered to be compared with the lake many at a
 * time (C13). However long a replay is and however far it jumps, what is held is what was gathered
 * and its like from the lake.
 */
final class ReplayComparison {
  /** So many are gathered before the lake is read. */
  static final int MAX_ROWS = 20_000;

  /** What a row takes beside its bytes, here and as it is read from the lake. */
  private static final int OBJECT_BYTES = 256;

  /**
   * So many rows that are not compared may be read in one reading. They take time and no memory.
   */
  private static final int MAX_BETWEEN = 200_000;

  private final Layout layout;
  private final List<LogicalTable> tables;
  private final RowReader reader = new RowReader();
  private final Map<Integer, TreeMap<Position, CanonicalRow>> byTable = new TreeMap<>();
  private final List<Long> offsets = new ArrayList<>();
  private final long maxBytes;
  private final int maxBetween;
  private long bytes;

  /**
   * @param maxBytes the memory after which the lake is read, that of the lake's rows included
   */
  ReplayComparison(PipelineIdentity identity, long maxBytes) {
    this(identity, maxBytes, MAX_BETWEEN);
  }

  ReplayComparison(PipelineIdentity identity, long maxBytes, int maxBetween) {
    this.maxBytes = maxBytes;
    this.maxBetween = maxBetween;
    this.layout = identity.layout();
    this.tables = identity.tables();
  }

  /**
   * Adds a row. Of one position, the first bytes stay: a replay that differs from another one is
   * found against the lake.
   */
  Optional<Finding> add(CanonicalRow row, long offset) {
    int table = layout.route(row, reader.wrap(row));
    CanonicalRow before =
        byTable.computeIfAbsent(table, unused -> new TreeMap<>()).putIfAbsent(row.position(), row);
    offsets.add(offset);
    bytes += 2L * (OBJECT_BYTES + row.length());
    return before == null || before.sameBytes(row)
        ? Optional.empty()
        : Optional.of(differs(row.position(), "two replays"));
  }

  boolean isEmpty() {
    return offsets.isEmpty();
  }

  boolean isFull() {
    return offsets.size() >= MAX_ROWS || bytes >= maxBytes;
  }

  /** The memory that comparing takes. */
  long bytes() {
    return bytes;
  }

  /** The offsets of what was added, in order. */
  List<Long> offsets() {
    return List.copyOf(offsets);
  }

  void clear() {
    byTable.clear();
    offsets.clear();
    bytes = 0;
  }

  /** Compares everything that was added; absent if all agree. */
  Optional<Finding> compareWith(Lake lake) {
    for (Map.Entry<Integer, TreeMap<Position, CanonicalRow>> entry : byTable.entrySet()) {
      Optional<Finding> finding =
          compare(lake, tables.get(entry.getKey()).name(), entry.getValue());
      if (finding.isPresent()) {
        return finding;
      }
    }
    return Optional.empty();
  }

  /**
   * Replays of one stretch of the stream lie side by side in the table, and one reading finds them.
   * Where the stream went back or ahead, there may be any number of rows between: so many that a
   * reading gives up, and what it was to find is parted there.
   */
  private Optional<Finding> compare(
      Lake lake, String table, NavigableMap<Position, CanonicalRow> replayed) {
    Deque<NavigableMap<Position, CanonicalRow>> spans = new ArrayDeque<>(List.of(replayed));
    while (!spans.isEmpty()) {
      NavigableMap<Position, CanonicalRow> span = spans.pop();
      try {
        Optional<Finding> finding = compareSpan(lake, table, span);
        if (finding.isPresent()) {
          return finding;
        }
      } catch (TooManyRowsException e) {
        if (span.size() == 1) {
          throw e;
        }
        Position second = afterWidestGap(span.navigableKeySet());
        spans.push(span.tailMap(second, true));
        spans.push(span.headMap(second, false));
      }
    }
    return Optional.empty();
  }

  private Optional<Finding> compareSpan(
      Lake lake, String table, NavigableMap<Position, CanonicalRow> span) {
    Map<Position, CanonicalRow> held = new HashMap<>();
    lake.readAt(table, span.navigableKeySet(), span.size() + maxBetween)
        .forEach(row -> held.put(row.position(), row));
    for (CanonicalRow row : span.values()) {
      CanonicalRow there = held.get(row.position());
      if (there == null || !there.sameBytes(row)) {
        return Optional.of(
            differs(
                row.position(),
                there == null ? "no row in table " + table : "the row in table " + table));
      }
    }
    return Optional.empty();
  }

  /** Of two positions or more, the one with the most batches, or else rows, before it. */
  private static Position afterWidestGap(NavigableSet<Position> positions) {
    Position widest = null;
    long batches = -1;
    long rows = -1;
    Position previous = null;
    for (Position position : positions) {
      if (previous != null) {
        long batchesBetween = position.globalBatchSeq() - previous.globalBatchSeq();
        long rowsBetween = batchesBetween == 0 ? position.arrayIndex() - previous.arrayIndex() : 0;
        if (batchesBetween > batches || batchesBetween == batches && rowsBetween > rows) {
          widest = position;
          batches = batchesBetween;
          rows = rowsBetween;
        }
      }
      previous = position;
    }
    return widest;
  }

  private static Finding differs(Position position, String other) {
    return new Finding(
        HaltReason.ROW_DIFFERS,
        "the record at "
            + position
            + ", at or below the watermark, comes again from the topic and differs from "
            + other);
  }
}
