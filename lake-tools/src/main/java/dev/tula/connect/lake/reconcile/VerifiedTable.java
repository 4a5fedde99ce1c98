package dev.tula.connect.lake.reconcile;

import dev.tula.connect.model.Chain;
import dev.tula.connect.model.Range;
import java.util.List;
import java.util.Optional;

/**
 * How the digests of one table's rows stand against those that were committed.
 *
 * @param table its logical name
 * @param name its name in the catalog
 * @param ranges the ranges that were recomputed
 * @param repairedRanges those of them that were repaired
 * @param rows the rows that were read
 * @param chain the chain over the recomputed digests; of a repaired range, over its first digest
 * @param firstDiffering the first range whose rows are not those that were committed
 * @param differing how many such ranges there are
 * @param differences what differs
 */
public record VerifiedTable(
    String table,
    String name,
    long ranges,
    long repairedRanges,
    long rows,
    Chain chain,
    Optional<Range> firstDiffering,
    long differing,
    List<String> differences)
    implements CheckedTable {
  /** Copies the list. */
  public VerifiedTable {
    differences = List.copyOf(differences);
  }
}
