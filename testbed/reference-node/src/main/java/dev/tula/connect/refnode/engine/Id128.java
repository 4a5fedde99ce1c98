package dev.tula.connect.refnode.engine;

import java.util.HexFormat;

/**
 * A 128-bit id.
 *
 * @param high the upper 64 bits
 * @param low the lower 64 bits
 */
public record Id128(long high, long low) {
  /** Stands where a request names no account. */
  public static final Id128 NONE = new Id128(0, 0);

  private static final int HEX_DIGITS = 32;

  /**
   * Reads 32 hex digits, in either case.
   *
   * @throws IllegalArgumentException naming the text, if it is anything else
   */
  public static Id128 parse(String hex) {
    if (hex.length() != HEX_DIGITS || !hex.chars().allMatch(HexFormat::isHexDigit)) {
      throw new IllegalArgumentException(
          "\"" + hex + "\" is not an id: write " + HEX_DIGITS + " hex digits");
    }
    return new Id128(
        HexFormat.fromHexDigitsToLong(hex, 0, 16), HexFormat.fromHexDigitsToLong(hex, 16, 32));
  }

  /** 32 lower-case hex digits. */
  @Override
  public String toString() {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(high) + hex.toHexDigits(low);
  }
}
