package dev.tula.connect.model;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * UTF-8 without replacement. Java's own conversions turn what they can't express into question
 * marks, and two different inputs into one output; a ledger's bytes must not change on the way
 * (I7), so here both directions refuse instead.
 */
public final class Utf8 {
  private static final long HIGH_BITS = 0x8080808080808080L;

  private Utf8() {}

  /**
   * The bytes that a string takes.
   *
   * @throws MalformedRecordException if it holds half a character
   */
  public static int length(String value) {
    int length = 0;
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c < 0x80) {
        length++;
      } else if (!Character.isSurrogate(c)) {
        length += c < 0x800 ? 2 : 3;
      } else if (isPair(value, i)) {
        length += 4;
        i++;
      } else {
        throw new MalformedRecordException(
            "text holds half a character at index " + i + ", which UTF-8 can't express");
      }
    }
    return length;
  }

  private static boolean isPair(String value, int index) {
    return index + 1 < value.length()
        && Character.isSurrogatePair(value.charAt(index), value.charAt(index + 1));
  }

  /**
   * A string's bytes.
   *
   * @throws MalformedRecordException if it holds half a character
   */
  public static byte[] encode(String value) {
    length(value);
    return value.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * The string in these bytes.
   *
   * @throws MalformedRecordException if they are not UTF-8
   */
  public static String decode(byte[] bytes, int offset, int length) {
    if (isAscii(bytes, offset, length)) {
      return new String(bytes, offset, length, StandardCharsets.ISO_8859_1);
    }
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes, offset, length))
          .toString();
    } catch (CharacterCodingException e) {
      throw new MalformedRecordException("text is not UTF-8", e);
    }
  }

  /**
   * Checks that bytes are UTF-8; allocates nothing where they are ASCII.
   *
   * @throws MalformedRecordException if they are not
   */
  static void check(byte[] bytes, int offset, int length) {
    if (!isAscii(bytes, offset, length)) {
      decode(bytes, offset, length);
    }
  }

  /**
   * Looks at eight bytes at a time; what is left over is seen through one load that ends with it.
   */
  private static boolean isAscii(byte[] bytes, int offset, int length) {
    int end = offset + length;
    int rest = length & 7;
    long seen = 0;
    for (int at = offset; at < end - rest; at += 8) {
      seen |= CanonicalRow.readLong(bytes, at);
    }
    if (rest > 0 && end >= 8) {
      seen |= CanonicalRow.readLong(bytes, end - 8) & HIGH_BITS >>> 64 - 8 * rest;
    } else {
      for (int at = end - rest; at < end; at++) {
        seen |= bytes[at];
      }
    }
    return (seen & HIGH_BITS) == 0;
  }
}
