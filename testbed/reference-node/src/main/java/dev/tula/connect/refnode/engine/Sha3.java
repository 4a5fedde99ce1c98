package dev.tula.connect.refnode.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * SHA3-256 as FIPS 202 defines it, for short messages: the platform's own takes almost twice as
 * long for a record. Not thread-safe.
 */
public final class Sha3 {
  /** The length of a digest in bytes. */
  public static final int DIGEST_BYTES = 32;

  private static final int RATE_BYTES = 136;
  private static final int LANES = 25;
  private static final byte DOMAIN_AND_FIRST_PAD = 0x06;
  private static final byte LAST_PAD = (byte) 0x80;
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long[] ROUND_CONSTANTS = {
    0x0000000000000001L, 0x0000000000008082L, 0x800000000000808aL, 0x8000000080008000L,
    0x000000000000808bL, 0x0000000080000001L, 0x8000000080008081L, 0x8000000000008009L,
    0x000000000000008aL, 0x0000000000000088L, 0x0000000080008009L, 0x000000008000000aL,
    0x000000008000808bL, 0x800000000000008bL, 0x8000000000008089L, 0x8000000000008003L,
    0x8000000000008002L, 0x8000000000000080L, 0x000000000000800aL, 0x800000008000000aL,
    0x8000000080008081L, 0x8000000000008080L, 0x0000000080000001L, 0x8000000080008008L
  };

  private final long[] state = new long[LANES];
  private final byte[] lastBlock = new byte[RATE_BYTES];

  /**
   * Writes the digest of {@code length} bytes at {@code offset} to {@code out} at {@code outAt}.
   */
  public void digest(byte[] bytes, int offset, int length, byte[] out, int outAt) {
    Arrays.fill(state, 0);
    int at = offset;
    int left = length;
    for (; left >= RATE_BYTES; left -= RATE_BYTES, at += RATE_BYTES) {
      absorb(bytes, at);
    }
    Arrays.fill(lastBlock, (byte) 0);
    System.arraycopy(bytes, at, lastBlock, 0, left);
    lastBlock[left] = DOMAIN_AND_FIRST_PAD;
    lastBlock[RATE_BYTES - 1] |= LAST_PAD;
    absorb(lastBlock, 0);
    for (int lane = 0; lane < DIGEST_BYTES / Long.BYTES; lane++) {
      LONGS.set(out, outAt + lane * Long.BYTES, state[lane]);
    }
  }

  private void absorb(byte[] bytes, int at) {
    for (int lane = 0; lane < RATE_BYTES / Long.BYTES; lane++) {
      state[lane] ^= (long) LONGS.get(bytes, at + lane * Long.BYTES);
    }
    permute(state);
  }

  // One loop over locals and no arrays: this is what lets the compiler keep the lanes in registers.
  private static void permute(long[] s) {
    long a0 = s[0], a1 = s[1], a2 = s[2], a3 = s[3], a4 = s[4];
    long a5 = s[5], a6 = s[6], a7 = s[7], a8 = s[8], a9 = s[9];
    long a10 = s[10], a11 = s[11], a12 = s[12], a13 = s[13], a14 = s[14];
    long a15 = s[15], a16 = s[16], a17 = s[17], a18 = s[18], a19 = s[19];
    long a20 = s[20], a21 = s[21], a22 = s[22], a23 = s[23], a24 = s[24];
    for (long roundConstant : ROUND_CONSTANTS) {
      long c0 = a0 ^ a5 ^ a10 ^ a15 ^ a20;
      long c1 = a1 ^ a6 ^ a11 ^ a16 ^ a21;
      long c2 = a2 ^ a7 ^ a12 ^ a17 ^ a22;
      long c3 = a3 ^ a8 ^ a13 ^ a18 ^ a23;
      long c4 = a4 ^ a9 ^ a14 ^ a19 ^ a24;
      long d0 = c4 ^ left(c1, 1);
      long d1 = c0 ^ left(c2, 1);
      long d2 = c1 ^ left(c3, 1);
      long d3 = c2 ^ left(c4, 1);
      long d4 = c3 ^ left(c0, 1);
      long b0 = a0 ^ d0;
      long b1 = left(a6 ^ d1, 44);
      long b2 = left(a12 ^ d2, 43);
      long b3 = left(a18 ^ d3, 21);
      long b4 = left(a24 ^ d4, 14);
      long b5 = left(a3 ^ d3, 28);
      long b6 = left(a9 ^ d4, 20);
      long b7 = left(a10 ^ d0, 3);
      long b8 = left(a16 ^ d1, 45);
      long b9 = left(a22 ^ d2, 61);
      long b10 = left(a1 ^ d1, 1);
      long b11 = left(a7 ^ d2, 6);
      long b12 = left(a13 ^ d3, 25);
      long b13 = left(a19 ^ d4, 8);
      long b14 = left(a20 ^ d0, 18);
      long b15 = left(a4 ^ d4, 27);
      long b16 = left(a5 ^ d0, 36);
      long b17 = left(a11 ^ d1, 10);
      long b18 = left(a17 ^ d2, 15);
      long b19 = left(a23 ^ d3, 56);
      long b20 = left(a2 ^ d2, 62);
      long b21 = left(a8 ^ d3, 55);
      long b22 = left(a14 ^ d4, 39);
      long b23 = left(a15 ^ d0, 41);
      long b24 = left(a21 ^ d1, 2);
      a0 = b0 ^ (~b1 & b2) ^ roundConstant;
      a1 = b1 ^ (~b2 & b3);
      a2 = b2 ^ (~b3 & b4);
      a3 = b3 ^ (~b4 & b0);
      a4 = b4 ^ (~b0 & b1);
      a5 = b5 ^ (~b6 & b7);
      a6 = b6 ^ (~b7 & b8);
      a7 = b7 ^ (~b8 & b9);
      a8 = b8 ^ (~b9 & b5);
      a9 = b9 ^ (~b5 & b6);
      a10 = b10 ^ (~b11 & b12);
      a11 = b11 ^ (~b12 & b13);
      a12 = b12 ^ (~b13 & b14);
      a13 = b13 ^ (~b14 & b10);
      a14 = b14 ^ (~b10 & b11);
      a15 = b15 ^ (~b16 & b17);
      a16 = b16 ^ (~b17 & b18);
      a17 = b17 ^ (~b18 & b19);
      a18 = b18 ^ (~b19 & b15);
      a19 = b19 ^ (~b15 & b16);
      a20 = b20 ^ (~b21 & b22);
      a21 = b21 ^ (~b22 & b23);
      a22 = b22 ^ (~b23 & b24);
      a23 = b23 ^ (~b24 & b20);
      a24 = b24 ^ (~b20 & b21);
    }
    s[0] = a0;
    s[1] = a1;
    s[2] = a2;
    s[3] = a3;
    s[4] = a4;
    s[5] = a5;
    s[6] = a6;
    s[7] = a7;
    s[8] = a8;
    s[9] = a9;
    s[10] = a10;
    s[11] = a11;
    s[12] = a12;
    s[13] = a13;
    s[14] = a14;
    s[15] = a15;
    s[16] = a16;
    s[17] = a17;
    s[18] = a18;
    s[19] = a19;
    s[20] = a20;
    s[21] = a21;
    s[22] = a22;
    s[23] = a23;
    s[24] = a24;
  }

  private static long left(long lane, int bits) {
    return Long.rotateLeft(lane, bits);
  }
}
