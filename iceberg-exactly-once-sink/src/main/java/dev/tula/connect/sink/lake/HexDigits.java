package dev.tula.connect.sink.lake;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Raw bytes as lower-case hex digits in ASCII, eight at a time, without garbage. */
final class HexDigits {
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private HexDigits() {}

  /** Fills {@code hex}, whose length is a multiple of 8, with the bytes from {@code at} on. */
  static void write(byte[] raw, int at, byte[] hex) {
    for (int i = 0; i < hex.length; i += 8) {
      LONGS.set(hex, i, eightDigits((int) INTS.get(raw, at + i / 2)));
    }
  }

  private static long eightDigits(int bits) {
    long nibbles = bits & 0xffff_ffffL;
    nibbles = (nibbles << 16 | nibbles) & 0x0000_ffff_0000_ffffL;
    nibbles = (nibbles << 8 | nibbles) & 0x00ff_00ff_00ff_00ffL;
    nibbles = (nibbles << 4 | nibbles) & 0x0f0f_0f0f_0f0f_0f0fL;
    long letters = (nibbles + 0x0606_0606_0606_0606L) >>> 4 & 0x0101_0101_0101_0101L;
    return nibbles + 0x3030_3030_3030_3030L + letters * ('a' - '0' - 10);
  }
}
