package dev.tula.connect.lake.maintain;

import dev.tula.connect.sink.engine.CommitKind;
import dev.tula.connect.sink.engine.MalformedStateException;
import dev.tula.connect.sink.engine.SnapshotRetention;
import dev.tula.connect.sink.engine.SnapshotRetention.Listed;
import dev.tula.connect.sink.engine.SnapshotRetention.References;
import dev.tula.connect.sink.engine.TableAtWatermark;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.lake.IcebergLake;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;

/**
 * Which snapshots of Iceberg tables stay, as {@link SnapshotRetention} decides it.
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
   * The snapshots of a table that may be expired, in the table's order.
   *
   * @param contents the table as it was loaded
   * @param watermark the table as the watermark's state has it
   */
  List<Snapshot> expirable(IcebergLake.Contents contents, Optional<TableAtWatermark> watermark) {
    List<Listed> listed = new ArrayList<>();
    contents.table().snapshots().forEach(snapshot -> listed.add(listed(snapshot)));
    return new SnapshotRetention(olderThan.toEpochMilli(), keep)
            .expirable(
                listed,
                references(contents.table()),
                contents.view().newestOursSnapshotId(),
                watermark)
            .stream()
            .map(contents.table()::snapshot)
            .toList();
  }

  private static Listed listed(Snapshot snapshot) {
    Long parent = snapshot.parentId();
    return new Listed(
        snapshot.snapshotId(),
        parent == null ? OptionalLong.empty() : OptionalLong.of(parent),
        snapshot.timestampMillis(),
        commit(snapshot));
  }

  private static Optional<CommitKind> commit(Snapshot snapshot) {
    Map<String, String> summary = snapshot.summary();
    if (summary == null || !summary.containsKey(TableState.SUMMARY_MARK)) {
      return Optional.empty();
    }
    try {
      return Optional.of(TableState.ofProperties(summary).commit());
    } catch (MalformedStateException e) {
      throw new MalformedStateException(
          "snapshot " + snapshot.snapshotId() + ": " + e.getMessage(), e);
    }
  }

  private static References references(Table table) {
    Set<Long> branches = new HashSet<>();
    Set<Long> tags = new HashSet<>();
    for (Map.Entry<String, SnapshotRef> ref : table.refs().entrySet()) {
      if (!ref.getKey().equals(SnapshotRef.MAIN_BRANCH)) {
        (ref.getValue().isBranch() ? branches : tags).add(ref.getValue().snapshotId());
      }
    }
    Snapshot main = table.currentSnapshot();
    return new References(
        main == null ? OptionalLong.empty() : OptionalLong.of(main.snapshotId()), branches, tags);
  }
}
