package dev.tula.connect.refnode;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;

/**
 * Turns a sound frame into what a hostile or broken peer might send: from a bit that flipped, over
 * lengths and counts that lie under a checksum that is right, to another protocol altogether. What
 * comes depends on the seed alone. Not thread-safe.
 */
public final class FrameMutator {
  private static final int LENGTH_BYTES = 4;
  private static final int CRC_BYTES = 4;
  private static final int MAX_NOISE_BYTES = 300;
  private static final int MAX_CHANGES = 6;
  private static final List<String> TEXTS =
      List.of(
          "GET / HTTP/1.1\r\nHost: ledger\r\n\r\n",
          "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
          "SSH-2.0-OpenSSH_9.6\r\n",
          "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n",
          "\n");
  private static final byte[] TLS_HELLO = {0x16, 3, 1, 0, (byte) 0xc4, 1, 0, 0, (byte) 0xc0, 3, 3};

  private final Random random;

  /** The same seed makes the same mutations. */
  public FrameMutator(long seed) {
    random = new Random(seed);
  }

  /** What comes in the place of a frame, its length included; the frame itself is left alone. */
  public byte[] mutate(byte[] frame) {
    return switch (random.nextInt(9)) {
      case 0 -> scribble(frame, 0);
      case 1, 2, 3 -> sealed(scribble(frame, LENGTH_BYTES));
      case 4 -> Arrays.copyOf(frame, random.nextInt(frame.length));
      case 5 ->
          withLength(frame, random.nextBoolean() ? random.nextInt() : random.nextInt(1 << 24));
      case 6 -> sealed(resized(frame));
      case 7 -> noise();
      default -> foreign();
    };
  }

  private byte[] scribble(byte[] frame, int from) {
    byte[] out = frame.clone();
    for (int changes = 1 + random.nextInt(MAX_CHANGES); changes > 0; changes--) {
      int at = from + random.nextInt(out.length - from);
      out[at] = random.nextInt(3) == 0 ? (byte) 0xff : (byte) random.nextInt();
    }
    return out;
  }

  /** Bytes put in or left out somewhere behind the length. */
  private byte[] resized(byte[] frame) {
    int at = LENGTH_BYTES + random.nextInt(frame.length - LENGTH_BYTES - CRC_BYTES);
    int change = random.nextInt(40) - 20;
    int resume = change < 0 ? Math.min(frame.length - CRC_BYTES, at - change) : at;
    byte[] more = new byte[Math.max(0, change)];
    random.nextBytes(more);
    ByteBuffer out = ByteBuffer.allocate(at + more.length + frame.length - resume);
    return out.put(frame, 0, at).put(more).put(frame, resume, frame.length - resume).array();
  }

  /** With a length and a checksum that are right, so that what is wrong lies deeper. */
  private static byte[] sealed(byte[] frame) {
    int crcAt = frame.length - CRC_BYTES;
    CRC32C crc = new CRC32C();
    crc.update(frame, LENGTH_BYTES, crcAt - LENGTH_BYTES);
    ByteBuffer.wrap(frame)
        .putInt(0, frame.length - LENGTH_BYTES)
        .putInt(crcAt, (int) crc.getValue());
    return frame;
  }

  private static byte[] withLength(byte[] frame, int length) {
    byte[] out = frame.clone();
    ByteBuffer.wrap(out).putInt(0, length);
    return out;
  }

  private byte[] noise() {
    byte[] out = new byte[random.nextInt(MAX_NOISE_BYTES)];
    random.nextBytes(out);
    return out;
  }

  private byte[] foreign() {
    int which = random.nextInt(TEXTS.size() + 1);
    return which == TEXTS.size()
        ? TLS_HELLO.clone()
        : TEXTS.get(which).getBytes(StandardCharsets.US_ASCII);
  }
}
