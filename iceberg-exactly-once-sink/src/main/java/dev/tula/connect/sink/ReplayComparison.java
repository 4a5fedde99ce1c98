package dev.tula.connect.sink;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.sink.engine.Finding;
import dev.tula.connect.sink.engine.HaltReason;
import dev.tula.connect.sink.engine.Lake;
import dev.tula.connect.sink.engine.Layout;
import dev.tula.connect.sink.engine.LogicalTable;
import dev.tula.connect.sink.engine.PipelineIdentity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Replayed rows that are older than the window, gathered to be compared with the lake many at a
 * time (C13).
 */
final class ReplayComparison {
  /** So many are gathered before the lake is read. */
  static final int MAX_ROWS = 20_000;

  /** What a row takes beside its bytes, here and as it is read from the lake. */
  private static final int OBJECT_BYTES = 256;

  private static final int ROWS_BETWEEN = 1_000_000;

  private final Layout layout;
  private final List<LogicalTable> tables;
  private final RowReader reader = new RowReader();
  private final Map<Integer, TreeMap<Position, CanonicalRow>> byTable = new TreeMap<>();
  private final List<Long> offsets = new ArrayList<>();
  private final long maxBytes;
  private long bytes;

  /**
   * @param maxBytes the memory after which the lake is read, that of the lake's rows included
   */
  ReplayComparison(PipelineIdentity identity, long maxBytes) {
    this.maxBytes = maxBytes;
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

  private static Optional<Finding> compare(
      Lake lake, String table, TreeMap<Position, CanonicalRow> replayed) {
    Range range = new Range(before(replayed.firstKey()), replayed.lastKey());
    Map<Position, CanonicalRow> held = new HashMap<>();
    lake.read(table, range, replayed.size() + ROWS_BETWEEN)
        .forEach(row -> held.put(row.position(), row));
    for (CanonicalRow row : replayed.values()) {
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

  private static Position before(Position position) {
    return position.arrayIndex() > 0
        ? new Position(position.globalBatchSeq(), position.arrayIndex() - 1)
        : Position.batchEnd(position.globalBatchSeq() - 1);
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
