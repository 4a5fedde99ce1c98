package dev.tula.connect.sink.engine;

import dev.tula.connect.model.Range;
import java.math.BigInteger;
import java.util.Objects;
import java.util.Optional;

/**
 * The last range that was committed to a table.
 *
 * @param range in a data table, from the end of the range before it; in the watermark table, from
 *     the watermark before
 * @param digest the range digest in hex; absent in the watermark table
 * @param rows the rows in it
 * @param amountSum the sum of their amounts; absent in change logs and in the watermark table
 */
public record RangeState(
    Range range, Optional<String> digest, long rows, Optional<BigInteger> amountSum) {
  /** Checks that the parts are there. */
  public RangeState {
    Objects.requireNonNull(range, "range");
    Objects.requireNonNull(digest, "digest");
    Objects.requireNonNull(amountSum, "amountSum");
  }

  /** A watermark's range. */
  static RangeState ofWatermark(Range range) {
    return new RangeState(range, Optional.empty(), 0, Optional.empty());
  }
}
