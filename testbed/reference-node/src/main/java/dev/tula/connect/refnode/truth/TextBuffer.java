package dev.tula.connect.refnode.truth;

import java.io.IOException;
import java.io.OutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** ASCII and UTF-8 text in a byte array that is reused. Not thread-safe. */
final class TextBuffer {
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  private static final int LONGEST_LONG = 20;

  private byte[] bytes = new byte[1 << 16];
  private int used;

  void put(char ascii) {
    reserve(1);
    bytes[used++] = (byte) ascii;
  }

  void put(String ascii) {
    put(ascii.getBytes(StandardCharsets.UTF_8));
  }

  void put(byte[] utf8) {
    put(utf8, 0, utf8.length);
  }

  void put(byte[] from, int at, int length) {
    reserve(length);
    System.arraycopy(from, at, bytes, used, length);
    used += length;
  }

  void put(long value) {
    if (value == Long.MIN_VALUE) {
      put(Long.toString(value));
      return;
    }
    reserve(LONGEST_LONG);
    if (value < 0) {
      bytes[used++] = '-';
    }
    long left = Math.abs(value);
    int from = used;
    do {
      bytes[used++] = (byte) ('0' + left % 10);
      left /= 10;
    } while (left != 0);
    reverse(from, used - 1);
  }

  private void reverse(int first, int last) {
    for (int low = first, high = last; low < high; low++, high--) {
      byte swapped = bytes[low];
      bytes[low] = bytes[high];
      bytes[high] = swapped;
    }
  }

  void put(BigInteger value) {
    put(value.toString());
  }

  void putHex(byte[] from, int at, int length) {
    reserve(2 * length);
    for (int i = at; i < at + length; i++) {
      bytes[used++] = HEX[from[i] >> 4 & 0xf];
      bytes[used++] = HEX[from[i] & 0xf];
    }
  }

  private void reserve(int more) {
    if (bytes.length - used < more) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, used + more));
    }
  }

  int length() {
    return used;
  }

  void writeTo(OutputStream out) throws IOException {
    out.write(bytes, 0, used);
    used = 0;
  }
}
