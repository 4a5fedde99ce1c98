package dev.tula.connect.sink.engine;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/**
 * A compare-and-set of a table's whole state (C14): it lands only on a table with this UUID whose
 * state, as committed last, is exactly {@code expected} and whose witnesses agree. State, files and
 * extra properties become visible together.
 *
 * @param table the table's logical name; {@link TableNames#WATERMARK} for the watermark table
 * @param uuid the UUID that the table must have
 * @param expected the state that it must have; absent for a table without one
 * @param next the state that it will have
 * @param change what happens to the rows
 * @param properties set beside the state, such as a halt record
 */
public record TableCommit(
    String table,
    String uuid,
    Optional<TableState> expected,
    TableState next,
    Change change,
    Map<String, String> properties) {

  /** Checks the parts and copies the map. */
  public TableCommit {
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(uuid, "uuid");
    Objects.requireNonNull(expected, "expected");
    Objects.requireNonNull(next, "next");
    Objects.requireNonNull(change, "change");
    properties = Collections.unmodifiableMap(new TreeMap<>(properties));
  }

  /** Whether it may land on a table as a load showed it (C14). */
  public boolean fits(TableView view) {
    return view.uuid().equals(uuid) && view.property().equals(expected) && rowsAreAsExpected(view);
  }

  /**
   * Whether it may land where main stands at a snapshot. Files are exchanged only where they were
   * found, so that nothing that others did to them is undone.
   *
   * @param mainSnapshot main's snapshot; absent in a table without one
   */
  public boolean fitsOn(OptionalLong mainSnapshot) {
    if (change instanceof Change.Rewrite rewrite) {
      return mainSnapshot.equals(OptionalLong.of(rewrite.onSnapshot()));
    }
    return !(change instanceof Change.Repair repair)
        || mainSnapshot.equals(OptionalLong.of(repair.onSnapshot()));
  }

  /** A repair is for a table whose rows are not what its state says, and brings just those back. */
  private boolean rowsAreAsExpected(TableView view) {
    return change instanceof Change.Repair repair
        ? view.disagreementOfStates().isEmpty() && view.totalRecords() == repair.rowsFound()
        : view.disagreement().isEmpty();
  }

  /**
   * Whether a table as a load showed it carries exactly the state that this commit would give it:
   * then it has landed (C16). Where every snapshot of ours was expired, the property alone tells.
   */
  public boolean isIn(TableView view) {
    Optional<TableState> mine = Optional.of(next);
    return !mine.equals(expected)
        && view.uuid().equals(uuid)
        && view.property().equals(mine)
        && (view.newestOurs().isEmpty() || view.newestOurs().equals(mine));
  }

  /** What a commit does to a table's rows. */
  public sealed interface Change {
    /** An empty snapshot that carries the state and nothing else. */
    record NoRows() implements Change {}

    /**
     * Rows are added.
     *
     * @param files the staged files that hold them
     */
    record Append(List<StagedFile> files) implements Change {
      /** Copies the list. */
      public Append {
        files = List.copyOf(files);
      }
    }

    /**
     * The watermark table's one row takes the place of whatever rows there are.
     *
     * @param row the row
     */
    record ReplaceRow(WatermarkRow row) implements Change {}

    /**
     * An empty snapshot, and others are expired along with it, so that an expiry and a pin that run
     * at the same time meet on main (C29). No file is deleted.
     *
     * @param snapshotIds which; none that a branch or a tag names
     */
    record Expire(Set<Long> snapshotIds) implements Change {
      /** Copies the set. */
      public Expire {
        snapshotIds = Set.copyOf(snapshotIds);
      }
    }

    /**
     * The same rows in other files. Lands only on the snapshot that it was planned on, so that
     * nothing that others did to those files is undone.
     *
     * @param onSnapshot main's snapshot
     * @param replaced the files that it lists and that go
     * @param by the staged files that take their place
     */
    record Rewrite(long onSnapshot, List<TableFile> replaced, List<StagedFile> by)
        implements Change {
      /** Copies the lists. */
      public Rewrite {
        replaced = List.copyOf(replaced);
        by = List.copyOf(by);
      }
    }

    /**
     * Rows are put right: files with wrong ones go, and others take their place. Unlike any other
     * change it lands on a table that has another number of rows than its state says, if it is the
     * one that was found; afterwards the table has as many as its state says.
     *
     * @param onSnapshot main's snapshot that it was planned on
     * @param rowsFound the rows that this has
     * @param replaced the files that it lists and that go
     * @param by the staged files that are added
     */
    record Repair(long onSnapshot, long rowsFound, List<TableFile> replaced, List<StagedFile> by)
        implements Change {
      /** Copies the lists. */
      public Repair {
        replaced = List.copyOf(replaced);
        by = List.copyOf(by);
      }
    }
  }
}
