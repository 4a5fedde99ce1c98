package dev.tula.connect.refnode.engine;

import java.util.Arrays;

/** One 128-bit amount per account, in two arrays of longs. Not thread-safe. */
final class AmountColumn {
  private long[] highs;
  private long[] lows;
  private final Sum scratch = new Sum();

  AmountColumn(int capacity) {
    highs = new long[capacity];
    lows = new long[capacity];
  }

  void grow(int capacity) {
    highs = Arrays.copyOf(highs, capacity);
    lows = Arrays.copyOf(lows, capacity);
  }

  long high(int row) {
    return highs[row];
  }

  long low(int row) {
    return lows[row];
  }

  void set(int row, Amount amount) {
    highs[row] = amount.high();
    lows[row] = amount.low();
  }

  void add(int row, Amount amount) {
    store(row, scratch.set(highs[row], lows[row]).add(amount));
  }

  void subtract(int row, Amount amount) {
    store(row, scratch.set(highs[row], lows[row]).subtract(amount));
  }

  boolean isZero(int row) {
    return (highs[row] | lows[row]) == 0;
  }

  Amount amount(int row) {
    return new Amount(highs[row], lows[row]);
  }

  private void store(int row, Sum sum) {
    highs[row] = sum.high();
    lows[row] = sum.low();
  }
}
