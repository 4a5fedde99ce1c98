package dev.tula.connect.lake.reconcile;

import java.math.BigInteger;
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
    Totals logged,
    Optional<Totals> stated,
    Optional<Totals> found,
    boolean unpublished,
    List<String> differences)
    implements CheckedTable {
  /**
   * Rows and amounts.
   *
   * @param rows how many
   * @param amountSum the sum of their amounts; absent for change logs
   */
  public record Totals(long rows, Optional<BigInteger> amountSum) {
    static Totals of(long rows, BigInteger sum, boolean hasAmounts) {
      return new Totals(rows, hasAmounts ? Optional.of(sum) : Optional.empty());
    }

    @Override
    public String toString() {
      return rows + " rows" + amountSum.map(sum -> " with amounts of " + sum).orElse("");
    }
  }

  /** Copies the list. */
  public TableResult {
    differences = List.copyOf(differences);
  }
}
