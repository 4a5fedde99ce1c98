package dev.tula.connect.lake.reconcile;

import dev.tula.connect.model.Position;
import dev.tula.connect.sink.engine.CommitKind;
import dev.tula.connect.sink.engine.MalformedStateException;
import dev.tula.connect.sink.engine.RangeState;
import dev.tula.connect.sink.engine.TableState;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
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
    Map<Long, TableState> states = new HashMap<>();
    for (Snapshot snapshot : table.snapshots()) {
      kept.all.add(snapshot.snapshotId());
      state(snapshot, differences).ifPresent(state -> states.put(snapshot.snapshotId(), state));
    }
    // A pinned snapshot may be there without those between it and main's.
    states.forEach((id, state) -> state.to().ifPresent(end -> kept.endById.put(id, end)));
    Snapshot snapshot = table.currentSnapshot();
    while (snapshot != null) {
      kept.note(snapshot, states.get(snapshot.snapshotId()));
      snapshot = snapshot.parentId() == null ? null : table.snapshot(snapshot.parentId());
    }
    return kept;
  }

  private static Optional<TableState> state(Snapshot snapshot, Differences differences) {
    Map<String, String> summary = snapshot.summary();
    if (summary == null || !summary.containsKey(TableState.SUMMARY_MARK)) {
      return Optional.empty();
    }
    try {
      return Optional.of(TableState.ofProperties(summary));
    } catch (MalformedStateException e) {
      differences.add("snapshot " + snapshot.snapshotId() + ": " + e.getMessage());
      return Optional.empty();
    }
  }

  private void note(Snapshot snapshot, TableState state) {
    if (state != null && state.commit() == CommitKind.RANGE && state.range().isPresent()) {
      byEnd.putIfAbsent(
          state.to().orElseThrow(),
          new Kept(
              snapshot.snapshotId(),
              state,
              snapshot.summary().get(SnapshotSummary.ADDED_RECORDS_PROP)));
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
