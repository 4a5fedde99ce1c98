package dev.tula.connect.lake.maintain;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;

/**
 * Which snapshots are kept: those that are young, the newest of main, whatever a branch or a tag
 * leads to, the newest of ours, and those that the watermark names.
 *
 * @param olderThan only what was committed before this may go
 * @param keep so many of main's newest stay, whatever their age; 1 or more
 */
public record Retention(Instant olderThan, int keep) {
  /** Checks the number. */
  public Retention {
    if (keep < 1) {
      throw new IllegalArgumentException("keep " + keep + " snapshots");
    }
  }

  /**
   * The snapshots of a table that may be expired, oldest first.
   *
   * @param table as it was loaded
   * @param named what else is to stay
   */
  List<Snapshot> expirable(Table table, Set<Long> named) {
    Set<Long> kept = new HashSet<>(named);
    Set<Long> main = new HashSet<>();
    int place = 0;
    for (Snapshot snapshot = table.currentSnapshot();
        snapshot != null;
        snapshot = parent(table, snapshot)) {
      main.add(snapshot.snapshotId());
      if (place < keep) {
        kept.add(snapshot.snapshotId());
      }
      place++;
    }
    for (Map.Entry<String, SnapshotRef> ref : table.refs().entrySet()) {
      kept.add(ref.getValue().snapshotId());
      if (ref.getValue().isBranch()) {
        keepBranch(table, ref.getValue().snapshotId(), main, kept);
      }
    }
    List<Snapshot> expirable = new ArrayList<>();
    for (Snapshot snapshot : table.snapshots()) {
      if (!kept.contains(snapshot.snapshotId())
          && snapshot.timestampMillis() < olderThan.toEpochMilli()) {
        expirable.add(snapshot);
      }
    }
    return expirable;
  }

  /** What a branch has of its own. */
  private static void keepBranch(Table table, long head, Set<Long> main, Set<Long> kept) {
    for (Snapshot snapshot = table.snapshot(head);
        snapshot != null && !main.contains(snapshot.snapshotId());
        snapshot = parent(table, snapshot)) {
      kept.add(snapshot.snapshotId());
    }
  }

  private static Snapshot parent(Table table, Snapshot snapshot) {
    return snapshot.parentId() == null ? null : table.snapshot(snapshot.parentId());
  }
}
