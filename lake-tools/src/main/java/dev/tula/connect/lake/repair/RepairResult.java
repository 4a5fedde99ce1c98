package dev.tula.connect.lake.repair;

import dev.tula.connect.lake.output.ChangedTable;
import dev.tula.connect.model.Range;
import java.util.List;
import java.util.Optional;

/**
 * What a repair found in one table, and did.
 *
 * @param partition the export partition
 * @param table the table's logical name
 * @param name its name in the catalog
 * @param expected the ledger's rows of the range that belong into the table
 * @param missing positions without their row
 * @param doubled positions with more than one row
 * @param altered positions with another row than the ledger's
 * @param unexpected rows that the ledger does not have
 * @param ranges the committed ranges that they lie in
 * @param snapshotId the snapshot that put them right
 * @param problem why they were not, or what is wrong still
 */
public record RepairResult(
    int partition,
    String table,
    String name,
    long expected,
    long missing,
    long doubled,
    long altered,
    long unexpected,
    List<Range> ranges,
    Optional<Long> snapshotId,
    Optional<String> problem)
    implements ChangedTable {
  /** Copies the list. */
  public RepairResult {
    ranges = List.copyOf(ranges);
  }

  /** Whether all was as the ledger has it. */
  public boolean isSound() {
    return missing + doubled + altered + unexpected == 0 && problem.isEmpty();
  }
}
