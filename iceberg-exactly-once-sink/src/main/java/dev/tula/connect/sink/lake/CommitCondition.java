package dev.tula.connect.sink.lake;

import dev.tula.connect.sink.engine.TableCommit;
import dev.tula.connect.sink.engine.TableCommit.Change;
import dev.tula.connect.sink.engine.TableView;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.io.FileIO;

/**
 * What must hold of a table for one commit to land on it (C14), and how to tell that it has landed
 * already (C16). For one thread and one commit.
 */
final class CommitCondition {
  private final String table;
  private final Schema expectedSchema;
  private final TableCommit commit;
  private final List<Sent> sent = new ArrayList<>();

  /**
   * A request that went out to the catalog.
   *
   * @param snapshotId the snapshot that it would make
   * @param parentId main's snapshot that it stands on, and without which it can't land
   */
  record Sent(long snapshotId, OptionalLong parentId) {}

  CommitCondition(String table, Schema expectedSchema, TableCommit commit) {
    this.table = table;
    this.expectedSchema = expectedSchema;
    this.commit = commit;
  }

  /** The table as its metadata shows it. */
  TableView view(TableMetadata metadata, FileIO io) {
    return Witnesses.view(table, metadata, io, expectedSchema);
  }

  /** Whether the commit may land on this table. */
  boolean holds(TableMetadata metadata, TableView view) {
    return commit.fits(view)
        && (writesNoFiles() || view.schemaFault().isEmpty())
        && commit.fitsOn(mainSnapshot(metadata));
  }

  private boolean writesNoFiles() {
    return commit.change() instanceof Change.NoRows || commit.change() instanceof Change.Expire;
  }

  void sent(Sent request) {
    sent.add(request);
  }

  boolean anythingSent() {
    return !sent.isEmpty();
  }

  /**
   * The snapshot by which the commit is in the table, if it is: that of a request of this call, or,
   * where an earlier call ended unknown, the one that carries exactly the next state.
   */
  OptionalLong landed(TableMetadata metadata, TableView view) {
    for (Sent request : sent) {
      if (metadata.snapshot(request.snapshotId()) != null) {
        return OptionalLong.of(request.snapshotId());
      }
    }
    if (!commit.isIn(view)) {
      return OptionalLong.empty();
    }
    // Where ours was expired, its rows are in what stands on it.
    return view.newestOurs().isPresent() ? view.newestOursSnapshotId() : mainSnapshot(metadata);
  }

  /** Whether a request that went out could still land on the table as it is. */
  boolean mayLand(TableMetadata metadata) {
    OptionalLong main = mainSnapshot(metadata);
    return commit.uuid().equals(metadata.uuid())
        && sent.stream().anyMatch(request -> request.parentId().equals(main));
  }

  /** Main's snapshot. */
  static OptionalLong mainSnapshot(TableMetadata metadata) {
    Snapshot main = metadata.currentSnapshot();
    return main == null ? OptionalLong.empty() : OptionalLong.of(main.snapshotId());
  }
}
