package dev.tula.connect.sink.engine;

import java.util.Objects;
import java.util.OptionalLong;

/**
 * A table under our claim, as of our last commit to it or load of it.
 *
 * @param uuid its UUID
 * @param state its state
 * @param snapshotId the newest snapshot of ours, if it has one
 */
public record OwnedTable(String uuid, TableState state, OptionalLong snapshotId) {
  /** Checks that the parts are there. */
  public OwnedTable {
    Objects.requireNonNull(uuid, "uuid");
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(snapshotId, "snapshotId");
  }

  static OwnedTable of(TableView view) {
    return new OwnedTable(view.uuid(), view.property().orElseThrow(), view.newestOursSnapshotId());
  }

  OwnedTable with(TableState newState, long newSnapshotId) {
    return new OwnedTable(uuid, newState, OptionalLong.of(newSnapshotId));
  }
}
