package dev.tula.connect.sink.lake;

import java.math.BigInteger;
import java.util.Optional;

/**
 * What rows add up to.
 *
 * @param rows how many
 * @param amountSum the sum of their amounts; absent for change logs
 */
public record RowSums(long rows, Optional<BigInteger> amountSum) {
  /** Of none. */
  public static RowSums none(boolean hasAmounts) {
    return new RowSums(0, hasAmounts ? Optional.of(BigInteger.ZERO) : Optional.empty());
  }

  /** These and those. */
  public RowSums plus(RowSums others) {
    return new RowSums(
        rows + others.rows, amountSum.map(sum -> sum.add(others.amountSum.orElseThrow())));
  }

  @Override
  public String toString() {
    return rows + " rows" + amountSum.map(sum -> " with amounts of " + sum).orElse("");
  }
}
