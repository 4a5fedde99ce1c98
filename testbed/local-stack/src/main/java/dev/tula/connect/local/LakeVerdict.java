package dev.tula.connect.local;

import java.util.List;
import java.util.function.ToLongFunction;

/**
 * How the lake compares with the engine.
 *
 * @param expectedRows the engine's records
 * @param tables every table that holds ledger records
 * @param problems what is wrong beyond a single table, in words
 */
public record LakeVerdict(long expectedRows, List<TableVerdict> tables, List<String> problems) {
  /** Rows in all tables. */
  public long rows() {
    return sum(TableVerdict::rows);
  }

  /** Records that no table holds where they belong. */
  public long missing() {
    return sum(TableVerdict::missing);
  }

  /** Rows beyond the first of a position. */
  public long duplicated() {
    return sum(TableVerdict::duplicated);
  }

  /** Rows with another value in some column. */
  public long different() {
    return sum(TableVerdict::different);
  }

  /** Rows where the engine has no such record. */
  public long unexpected() {
    return sum(TableVerdict::unexpected);
  }

  /** Whether all agree, and every record of the engine was held against a row. */
  public boolean agrees() {
    return problems.isEmpty()
        && tables.stream().allMatch(TableVerdict::agrees)
        && rows() == expectedRows;
  }

  private long sum(ToLongFunction<TableVerdict> count) {
    return tables.stream().mapToLong(count).sum();
  }
}
