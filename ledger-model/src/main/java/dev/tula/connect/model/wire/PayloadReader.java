package dev.tula.connect.model.wire;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.MalformedRecordException;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Utf8;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * Reads the parts of a payload, and refuses what they can't be. Every fault is a {@link
 * ProtocolException} that names the message and the part. Not thread-safe.
 */
final class PayloadReader {
  private final MessageType type;
  private final ByteBuffer buffer;

  /** Reads from the buffer's position to its limit. */
  PayloadReader(MessageType type, ByteBuffer buffer) {
    this.type = type;
    this.buffer = buffer;
  }

  int u8(String part) {
    need(part, 1);
    return Byte.toUnsignedInt(buffer.get());
  }

  int u16(String part) {
    need(part, 2);
    return Short.toUnsignedInt(buffer.getShort());
  }

  /** A u32 that must be at most 2³¹−1. */
  int u32(String part) {
    int value = int32(part);
    if (value < 0) {
      throw fault(part, "is " + Integer.toUnsignedString(value) + ", above " + Integer.MAX_VALUE);
    }
    return value;
  }

  /** A u64 that must be at most 2⁶³−1. */
  long u64(String part) {
    long value = int64(part);
    if (value < 0) {
      throw fault(part, "is " + Long.toUnsignedString(value) + ", above " + Long.MAX_VALUE);
    }
    return value;
  }

  void magic(int expected) {
    int value = int32("magic");
    if (value != expected) {
      throw fault("magic", String.format("is %08x and should be %08x", value, expected));
    }
  }

  long timeMicros(String part) {
    return int64(part);
  }

  /** Bit flags, of which the lowest {@code count} may be set. */
  int bits(String part, int count) {
    int value = int32(part);
    if (value >>> count != 0) {
      throw fault(part, "has unknown bits set: " + Integer.toHexString(value));
    }
    return value;
  }

  static boolean bit(int bits, int index) {
    return (bits >>> index & 1) == 1;
  }

  Position position(String part) {
    long globalBatchSeq = u64(part);
    int arrayIndex = u32(part);
    try {
      return new Position(globalBatchSeq, arrayIndex);
    } catch (IllegalArgumentException e) {
      throw fault(part, e);
    }
  }

  String string(String part) {
    int length = u16(part);
    need(part, length);
    int at = buffer.position();
    buffer.position(at + length);
    try {
      return Utf8.decode(buffer.array(), buffer.arrayOffset() + at, length);
    } catch (MalformedRecordException e) {
      throw fault(part, e);
    }
  }

  <T> Optional<T> optional(String part, Supplier<T> read) {
    int presence = u8(part);
    if (presence > 1) {
      throw fault(part, "begins with " + presence + " where 0 or 1 must stand");
    }
    return presence == 1 ? Optional.of(read.get()) : Optional.empty();
  }

  /**
   * A list.
   *
   * @param minItemBytes what an item takes at least, so that a false count is seen before anything
   *     is allocated for it
   * @param read reads the item with this number
   */
  <T> List<T> list(String part, int minItemBytes, IntFunction<T> read) {
    int count = int32(part);
    if (count < 0 || count > buffer.remaining() / minItemBytes) {
      throw fault(
          part,
          "claims "
              + Integer.toUnsignedString(count)
              + " items, more than the "
              + buffer.remaining()
              + " bytes left can hold");
    }
    List<T> items = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      items.add(read.apply(i));
    }
    return Collections.unmodifiableList(items);
  }

  /** Record {@code index} of a page: a slice of the frame's array. */
  CanonicalRow row(int index) {
    int length = int32("records");
    if (length < 0 || length > buffer.remaining()) {
      throw fault(
          "record " + index,
          "claims " + Integer.toUnsignedString(length) + " bytes and has " + buffer.remaining());
    }
    int at = buffer.position();
    buffer.position(at + length);
    try {
      return CanonicalRow.of(buffer.array(), buffer.arrayOffset() + at, length);
    } catch (MalformedRecordException e) {
      throw fault("record " + index, e);
    }
  }

  /** Refuses bytes after the last part. */
  void checkEnd() {
    if (buffer.hasRemaining()) {
      throw new ProtocolException(type + ": " + buffer.remaining() + " bytes after the last part");
    }
  }

  ProtocolException fault(String part, String what) {
    return new ProtocolException(type + ": " + part + " " + what);
  }

  private ProtocolException fault(String part, RuntimeException cause) {
    return new ProtocolException(type + ": " + part + ": " + cause.getMessage(), cause);
  }

  private int int32(String part) {
    need(part, 4);
    return buffer.getInt();
  }

  private long int64(String part) {
    need(part, 8);
    return buffer.getLong();
  }

  private void need(String part, int bytes) {
    if (buffer.remaining() < bytes) {
      throw fault(part, "is cut off: " + bytes + " bytes needed, " + buffer.remaining() + " left");
    }
  }
}
