package dev.tula.connect.refnode.engine;

/** A 128-bit sum that is added up in place, without allocating. Not thread-safe. */
final class Sum {
  private long high;
  private long low;

  Sum set(long newHigh, long newLow) {
    high = newHigh;
    low = newLow;
    return this;
  }

  Sum add(long otherHigh, long otherLow) {
    long sum = low + otherLow;
    long carry = Long.compareUnsigned(sum, low) < 0 ? 1 : 0;
    high += otherHigh + carry;
    low = sum;
    return this;
  }

  Sum subtract(long otherHigh, long otherLow) {
    long borrow = Long.compareUnsigned(low, otherLow) < 0 ? 1 : 0;
    high -= otherHigh + borrow;
    low -= otherLow;
    return this;
  }

  Sum add(AmountColumn column, int row) {
    return add(column.high(row), column.low(row));
  }

  Sum subtract(AmountColumn column, int row) {
    return subtract(column.high(row), column.low(row));
  }

  Sum add(Amount amount) {
    return add(amount.high(), amount.low());
  }

  Sum subtract(Amount amount) {
    return subtract(amount.high(), amount.low());
  }

  long high() {
    return high;
  }

  long low() {
    return low;
  }

  boolean isNegative() {
    return high < 0;
  }

  boolean isZero() {
    return (high | low) == 0;
  }

  boolean exceeds(long limitHigh, long limitLow) {
    return high != limitHigh ? high > limitHigh : Long.compareUnsigned(low, limitLow) > 0;
  }

  boolean exceeds(Amount limit) {
    return exceeds(limit.high(), limit.low());
  }

  Amount toAmount() {
    return new Amount(high, low);
  }
}
