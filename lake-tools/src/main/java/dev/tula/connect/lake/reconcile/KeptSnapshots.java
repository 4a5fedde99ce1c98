package dev.tula.connect.lake.reconcile;

import dev.tula.connect.model.Position;
import dev.tula.connect.sink.engine.CommitKind;
import dev.tula.connect.sink.engine.MalformedStateException;
import dev.tula.connect.sink.engine.RangeState;
import dev.tula.connect.sink.engine.TableState;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotSummary;
import org.apache.iceberg.Table;

/**
 * What is left of a table's history: the snapshots by which ranges were committed, on the way from
 * main's snapshot back to where older ones were expired. Not thread-safe.
 */
final class KeptSnapshots {
  private final Map<Position, Kept> byEnd = new TreeMap<>();
  private final Map<Long, Position> endById = new HashMap<>();
  private final Set<Position> logged = new HashSet<>();
  private final Set<Long> all = new HashSet<>();

  /**
   * A snapshot by which a range was committed.
   *
   * @param snapshotId its id
   * @param state the state in its summary
   * @param addedRecords the rows that Iceberg says it added, as text; null where it does not say
   */
  record Kept(long snapshotId, TableState state, String addedRecords) {
    RangeState range() {
      return state.range().orElseThrow();
    }
  }

  private KeptSnapshots() {}

  /** Those of a table whose history is all gone. */
  static KeptSnapshots none() {
    return new KeptSnapshots();
  }

  /** Those of a table; a summary that can't be read is a difference. */
  static KeptSnapshots of(Table table, Differences differences) {
    KeptSnapshots kept = new KeptSnapshots();
    table.snapshots().forEach(snapshot -> kept.all.add(snapshot.snapshotId()));
    Snapshot snapshot = table.currentSnapshot();
    while (snapshot != null) {
      kept.note(snapshot, differences);
      snapshot = snapshot.parentId() == null ? null : table.snapshot(snapshot.parentId());
    }
    return kept;
  }

  private void note(Snapshot snapshot, Differences differences) {
    Map<String, String> summary = snapshot.summary();
    if (summary == null || !summary.containsKey(TableState.SUMMARY_MARK)) {
      return;
    }
    TableState state;
    try {
      state = TableState.ofProperties(summary);
    } catch (MalformedStateException e) {
      differences.add("snapshot " + snapshot.snapshotId() + ": " + e.getMessage());
      return;
    }
    state.to().ifPresent(end -> endById.put(snapshot.snapshotId(), end));
    if (state.commit() == CommitKind.RANGE && state.range().isPresent()) {
      byEnd.putIfAbsent(
          state.to().orElseThrow(),
          new Kept(snapshot.snapshotId(), state, summary.get(SnapshotSummary.ADDED_RECORDS_PROP)));
    }
  }

  /** The snapshot that committed the range with this end, if it is kept; marks it as logged. */
  Kept logged(Position end) {
    logged.add(end);
    return byEnd.get(end);
  }

  /**
   * Whether a snapshot that the log names as holding the range with this end may be the one: it
   * does, or it is expired.
   */
  boolean mayHold(long snapshotId, Position end) {
    return !all.contains(snapshotId) || end.equals(endById.get(snapshotId));
  }

  /** Says which kept ranges the log never named. */
  void addUnlogged(Differences differences) {
    byEnd.forEach(
        (end, kept) -> {
          if (!logged.contains(end)) {
            differences.add(
                "snapshot "
                    + kept.snapshotId()
                    + " committed the range "
                    + kept.range().range()
                    + ", which the commit log does not have");
          }
        });
  }
}
