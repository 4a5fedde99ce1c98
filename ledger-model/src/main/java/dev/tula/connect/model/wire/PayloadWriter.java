package dev.tula.connect.model.wire;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.MalformedRecordException;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Utf8;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Writes the parts of a payload, or, without a buffer, only counts their bytes: the same layout
 * code runs twice, first to know the size and then to fill exactly that. Not thread-safe.
 */
final class PayloadWriter {
  /** The bytes in front of each record. */
  static final int ROW_LENGTH_BYTES = 4;

  /** The most bytes that a string may have. */
  static final int MAX_STRING_BYTES = 0xFFFF;

  private final ByteBuffer buffer;
  private long count;

  private PayloadWriter(ByteBuffer buffer) {
    this.buffer = buffer;
  }

  static PayloadWriter counting() {
    return new PayloadWriter(null);
  }

  static PayloadWriter into(ByteBuffer buffer) {
    return new PayloadWriter(buffer);
  }

  /** The bytes written or counted so far. */
  long position() {
    return count;
  }

  private boolean advance(int bytes) {
    count += bytes;
    return buffer != null;
  }

  void u8(String part, int value) {
    checkRange(part, value, 0xFF);
    if (advance(1)) {
      buffer.put((byte) value);
    }
  }

  void u16(String part, int value) {
    checkRange(part, value, 0xFFFF);
    if (advance(2)) {
      buffer.putShort((short) value);
    }
  }

  /** A u32 that is at most 2³¹−1. */
  void u32(String part, int value) {
    checkRange(part, value, Integer.MAX_VALUE);
    int32(value);
  }

  /** A u64 that is at most 2⁶³−1. */
  void u64(String part, long value) {
    if (value < 0) {
      throw new ProtocolException(part + " must be 0 or more, not " + value);
    }
    int64(value);
  }

  void magic(int value) {
    int32(value);
  }

  void timeMicros(long value) {
    int64(value);
  }

  void bits(boolean... bits) {
    int value = 0;
    for (int i = 0; i < bits.length; i++) {
      value |= bits[i] ? 1 << i : 0;
    }
    int32(value);
  }

  void position(Position value) {
    int64(value.globalBatchSeq());
    int32(value.arrayIndex());
  }

  void string(String part, String value) {
    int length = length(part, value);
    if (length > MAX_STRING_BYTES) {
      throw new ProtocolException(
          part
              + " of "
              + length
              + " bytes is above "
              + MAX_STRING_BYTES
              + ", the most that a string may have");
    }
    u16(part, length);
    if (advance(length)) {
      buffer.put(value.getBytes(StandardCharsets.UTF_8));
    }
  }

  <T> void optional(Optional<T> value, Consumer<T> write) {
    u8("presence", value.isPresent() ? 1 : 0);
    value.ifPresent(write);
  }

  <T> void list(List<T> items, Consumer<T> write) {
    int32(items.size());
    for (T item : items) {
      write.accept(item);
    }
  }

  void row(CanonicalRow row) {
    int32(row.length());
    if (advance(row.length())) {
      buffer.put(row.array(), row.offset(), row.length());
    }
  }

  private void int32(int value) {
    if (advance(4)) {
      buffer.putInt(value);
    }
  }

  private void int64(long value) {
    if (advance(8)) {
      buffer.putLong(value);
    }
  }

  private static void checkRange(String part, int value, int max) {
    if (value < 0 || value > max) {
      throw new ProtocolException(part + " must be 0 to " + max + ", not " + value);
    }
  }

  private static int length(String part, String value) {
    try {
      return Utf8.length(value);
    } catch (MalformedRecordException e) {
      throw new ProtocolException(part + ": " + e.getMessage(), e);
    }
  }
}
