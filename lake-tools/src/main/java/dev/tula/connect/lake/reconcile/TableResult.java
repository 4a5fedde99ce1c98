package dev.tula.connect.lake.reconcile;

import dev.tula.connect.sink.lake.RowSums;
import java.util.List;
import java.util.Optional;

/**
 * How one table stands against the commit log.
 *
 * @param table its logical name
 * @param name its name in the catalog
 * @param ranges the ranges in the log
 * @param repairedRanges those of them that were repaired
 * @param logged what the log says is in the table
 * @param stated what the table's state says
 * @param found what is there; absent where it could not be read
 * @param unpublished whether its last range is above the watermark and not in the log yet
 * @param differences what differs
 */
public record TableResult(
    String table,
    String name,
    long ranges,
    long repairedRanges,
    RowSums logged,
    Optional<RowSums> stated,
    Optional<RowSums> found,
    boolean unpublished,
    List<String> differences)
    implements CheckedTable {
  /** Copies the list. */
  public TableResult {
    differences = List.copyOf(differences);
  }
}
