package dev.tula.connect.refnode.engine;

import java.math.BigInteger;

/**
 * A whole number of minor units, in 128 bits two's complement. The engine keeps every amount and
 * every total within 28 digits, which is what the lake's columns hold.
 *
 * @param high the upper 64 bits, with the sign
 * @param low the lower 64 bits
 */
public record Amount(long high, long low) implements Comparable<Amount> {
  /** Nothing. */
  public static final Amount ZERO = new Amount(0, 0);

  /** The largest amount or total: 28 nines. */
  public static final Amount MAX = unchecked(BigInteger.TEN.pow(28).subtract(BigInteger.ONE));

  /** So many minor units. */
  public static Amount of(long value) {
    return new Amount(value >> 63, value);
  }

  /**
   * So many minor units.
   *
   * @throws IllegalArgumentException if that takes more than 28 digits
   */
  public static Amount of(BigInteger value) {
    if (value.bitLength() > 127 || !unchecked(value.abs()).isAtMost(MAX)) {
      throw new IllegalArgumentException("amount " + value + " has more than 28 digits");
    }
    return unchecked(value);
  }

  /**
   * Reads decimal digits, with or without a sign.
   *
   * @throws IllegalArgumentException naming the text, if it is no whole number of 28 digits or less
   */
  public static Amount parse(String text) {
    try {
      return of(new BigInteger(text));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is not a whole number of minor units", e);
    }
  }

  private static Amount unchecked(BigInteger value) {
    return new Amount(value.shiftRight(64).longValue(), value.longValue());
  }

  /** Whether this is above zero. */
  public boolean isPositive() {
    return high > 0 || high == 0 && low != 0;
  }

  private boolean isAtMost(Amount other) {
    return compareTo(other) <= 0;
  }

  @Override
  public int compareTo(Amount other) {
    int byHigh = Long.compare(high, other.high);
    return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
  }

  /** The same number. */
  public BigInteger toBigInteger() {
    if (high == low >> 63) {
      return BigInteger.valueOf(low);
    }
    BigInteger lower = new BigInteger(Long.toUnsignedString(low));
    return BigInteger.valueOf(high).shiftLeft(64).add(lower);
  }

  @Override
  public String toString() {
    return toBigInteger().toString();
  }
}
