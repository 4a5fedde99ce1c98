package dev.tula.connect.local;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;

/**
 * How one table compares with the engine's records that belong into it.
 *
 * @param table its physical name
 * @param rows the rows that are in it
 * @param expectedRows the rows that belong into it
 * @param amountSum the sum of {@code amount} in it; empty for change-logs
 * @param expectedAmountSum what that sum should be
 * @param missing records that it lacks
 * @param duplicated rows beyond the first of a position
 * @param different rows that are there with another value in some column
 * @param unexpected rows at a position where the engine has no record of this table
 * @param problems what else is wrong, in words: a column, a count, a file
 * @param examples the first few rows that disagree, in words
 */
public record TableVerdict(
    String table,
    long rows,
    long expectedRows,
    Optional<BigInteger> amountSum,
    Optional<BigInteger> expectedAmountSum,
    long missing,
    long duplicated,
    long different,
    long unexpected,
    List<String> problems,
    List<String> examples) {
  /** Whether table and engine agree in everything. */
  public boolean agrees() {
    return missing == 0
        && duplicated == 0
        && different == 0
        && unexpected == 0
        && problems.isEmpty()
        && rows == expectedRows
        && amountSum.equals(expectedAmountSum);
  }

  /** What a table that is not there amounts to. */
  static TableVerdict absent(String table, long expectedRows, Optional<BigInteger> expectedSum) {
    return new TableVerdict(
        table,
        0,
        expectedRows,
        expectedSum.map(sum -> BigInteger.ZERO),
        expectedSum,
        expectedRows,
        0,
        0,
        0,
        List.of("the table is not in the catalog"),
        List.of());
  }
}
