package dev.tula.connect.model.wire;

import dev.tula.connect.model.CanonicalRow;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.zip.CRC32C;

/**
 * Turns messages into frames and back. A frame is, big-endian, {@code length u32} of what follows,
 * {@code type u8}, {@code flags u8}, {@code reserved u16}, {@code correlation u64}, the payload,
 * and {@code crc32c u32} over everything between the length and itself. Version 1 defines no frame
 * flag: flags and reserved are zero.
 *
 * <p>The limit counts what the length counts, so that it can be checked before anything is read or
 * allocated. Nothing is ever allocated by a number from the wire that the bytes at hand don't bear
 * out.
 *
 * <p>Records pass through as they are: {@link #decode} returns slices of the array it is given,
 * which must not be written to afterwards, and {@link #encode} copies their bytes once, into the
 * frame.
 *
 * <p>Immutable, and safe for any thread.
 */
public final class FrameCodec {
  /** The bytes of the length that a frame begins with. */
  public static final int LENGTH_BYTES = 4;

  /** The lowest length: a frame without payload. */
  public static final int MIN_FRAME_BYTES = 16;

  private static final int HEADER_BYTES = 12;
  private static final int CRC_BYTES = 4;

  private final int maxFrameBytes;

  /**
   * With the largest frame to encode or accept, in bytes, not counting the four bytes of its
   * length.
   *
   * @throws IllegalArgumentException if not even an empty frame would pass
   */
  public FrameCodec(int maxFrameBytes) {
    if (maxFrameBytes < MIN_FRAME_BYTES) {
      throw new IllegalArgumentException(
          "maximum frame of "
              + maxFrameBytes
              + " bytes is below "
              + MIN_FRAME_BYTES
              + ", the smallest there is");
    }
    this.maxFrameBytes = maxFrameBytes;
  }

  /** The largest frame that passes, in bytes, not counting the four bytes of its length. */
  public int maxFrameBytes() {
    return maxFrameBytes;
  }

  /**
   * The bytes that a record adds to a PAGE or STATE_PAGE. With {@link #frameBytes} of the page
   * without records, this tells a server how many records fit.
   */
  public static int encodedRowBytes(CanonicalRow row) {
    return PayloadWriter.ROW_LENGTH_BYTES + row.length();
  }

  /**
   * The length of the frame that would carry this message, as {@link #maxFrameBytes} counts it,
   * whether or not it would pass.
   *
   * @throws ProtocolException naming the part, if the message has none on the wire
   */
  public static long frameBytes(Message message) {
    PayloadWriter counter = PayloadWriter.counting();
    MessageType.of(message).write(counter, message);
    return HEADER_BYTES + counter.position() + CRC_BYTES;
  }

  /**
   * The whole frame, its length in front.
   *
   * @throws ProtocolException naming the part, if the message does not fit its frame or the frame
   *     its limit
   */
  public byte[] encode(long correlation, Message message) {
    MessageType type = MessageType.of(message);
    long length = frameBytes(message);
    if (length > maxFrameBytes) {
      throw new ProtocolException(
          type + " frame of " + length + " bytes is above the maximum of " + maxFrameBytes);
    }
    byte[] frame = new byte[LENGTH_BYTES + (int) length];
    ByteBuffer buffer = ByteBuffer.wrap(frame);
    buffer.putInt((int) length).put((byte) type.code()).put((byte) 0).putShort((short) 0);
    buffer.putLong(correlation);
    type.write(PayloadWriter.into(buffer), message);
    buffer.putInt(crc(frame, LENGTH_BYTES, buffer.position() - LENGTH_BYTES));
    if (buffer.hasRemaining()) {
      throw new IllegalStateException(
          type + " frame was counted too long by " + buffer.remaining());
    }
    return frame;
  }

  /**
   * Checks a frame's length, as it stands on the wire, before anything is allocated for it.
   *
   * @return the length
   * @throws ProtocolException if it is below the smallest frame or above the limit
   */
  public int checkedLength(int lengthPrefix) {
    if (lengthPrefix < 0 || lengthPrefix > maxFrameBytes) {
      throw new ProtocolException(
          "frame length "
              + Integer.toUnsignedString(lengthPrefix)
              + " is above the maximum of "
              + maxFrameBytes);
    }
    if (lengthPrefix < MIN_FRAME_BYTES) {
      throw new ProtocolException(
          "frame length " + lengthPrefix + " is below the minimum of " + MIN_FRAME_BYTES);
    }
    return lengthPrefix;
  }

  /**
   * Reads a frame from what follows its length.
   *
   * @param body holds the frame; records in the message will be slices of it
   * @param offset where the frame's type stands
   * @param length the frame's length
   * @throws ProtocolException naming the part at fault, whatever the bytes are
   * @throws IndexOutOfBoundsException if {@code body} does not hold that many bytes
   */
  public Frame decode(byte[] body, int offset, int length) {
    checkedLength(length);
    Objects.checkFromIndexSize(offset, length, body.length);
    ByteBuffer buffer = ByteBuffer.wrap(body, offset, length);
    int crcAt = offset + length - CRC_BYTES;
    int expected = crc(body, offset, length - CRC_BYTES);
    if (buffer.getInt(crcAt) != expected) {
      throw new ProtocolException(
          String.format(
              "frame of %d bytes: crc32c is %08x and should be %08x",
              length, buffer.getInt(crcAt), expected));
    }
    buffer.limit(crcAt);
    MessageType type = MessageType.ofCode(Byte.toUnsignedInt(buffer.get()));
    checkZero(type, "flags", buffer.get());
    checkZero(type, "reserved", buffer.getShort());
    long correlation = buffer.getLong();
    PayloadReader reader = new PayloadReader(type, buffer);
    Message message = type.read(reader);
    reader.checkEnd();
    return new Frame(correlation, message);
  }

  private static void checkZero(MessageType type, String part, int value) {
    if (value != 0) {
      throw new ProtocolException(
          type + ": " + part + " must be zero in version " + Message.VERSION + ", not " + value);
    }
  }

  private static int crc(byte[] bytes, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, offset, length);
    return (int) crc.getValue();
  }
}
