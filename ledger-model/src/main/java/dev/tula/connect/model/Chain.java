package dev.tula.connect.model;

import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The chain over a table's range digests: {@code SHA-256(previous ‖ digest)}, from 32 zero bytes
 * on. It makes a later change to any committed range visible. Immutable.
 */
public final class Chain {
  /** The chain before the first range. */
  public static final Chain ZERO = new Chain(new byte[RangeDigest.LENGTH]);

  private final byte[] value;

  private Chain(byte[] value) {
    this.value = value;
  }

  /**
   * Reads its hex form.
   *
   * @throws IllegalArgumentException if that is not 64 hex digits
   */
  public static Chain parse(String hex) {
    byte[] value = HexFormat.of().parseHex(hex);
    if (value.length != RangeDigest.LENGTH) {
      throw new IllegalArgumentException(
          "a chain is " + RangeDigest.LENGTH + " bytes in hex, not \"" + hex + "\"");
    }
    return new Chain(value);
  }

  /** The chain after the range with this digest. */
  public Chain next(byte[] rangeDigest) {
    MessageDigest sha256 = RangeDigest.sha256();
    sha256.update(value);
    sha256.update(rangeDigest);
    return new Chain(sha256.digest());
  }

  /** The chain after the range with this digest, given in hex. */
  public Chain next(String rangeDigestHex) {
    return next(HexFormat.of().parseHex(rangeDigestHex));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Chain chain && Arrays.equals(value, chain.value);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(value);
  }

  /** 64 lower-case hex digits. */
  @Override
  public String toString() {
    return HexFormat.of().formatHex(value);
  }
}
