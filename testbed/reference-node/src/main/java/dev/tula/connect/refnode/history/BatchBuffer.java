package dev.tula.connect.refnode.history;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** The open batch: room for its head, then its records. Not thread-safe. */
final class BatchBuffer {
  private static final int FIRST_CAPACITY = 1 << 16;

  private byte[] bytes = new byte[FIRST_CAPACITY];
  private int used;
  private int records;
  private int metadataRecords;

  void clear() {
    used = Entry.BYTES;
    records = 0;
    metadataRecords = 0;
  }

  /** Adds a record; returns where its head lies, from the head of the batch. */
  int add(byte[] row, int length, int tailAt, int reasonAt, byte requestType) {
    int headAt = used;
    int needed = used + RecordCursor.HEAD_BYTES + length;
    if (needed > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, needed));
    }
    ByteBuffer head = ByteBuffer.wrap(bytes, headAt, RecordCursor.HEAD_BYTES);
    head.putInt(length).putShort((short) tailAt).putShort((short) reasonAt).put(requestType);
    System.arraycopy(row, 0, bytes, headAt + RecordCursor.HEAD_BYTES, length);
    used = needed;
    records++;
    metadataRecords += tailAt == 0 ? 1 : 0;
    return headAt;
  }

  int records() {
    return records;
  }

  int length() {
    return used;
  }

  byte[] bytes() {
    return bytes;
  }

  /** A copy of the record whose head lies there. */
  byte[] record(int headAt) {
    int length = ByteBuffer.wrap(bytes).getInt(headAt);
    return Arrays.copyOfRange(bytes, headAt, headAt + RecordCursor.HEAD_BYTES + length);
  }

  /** Writes the head. */
  Entry seal(long globalBatchSeq, long recordedAtMicros, long inputCursor) {
    int payloadBytes = used - Entry.BYTES;
    Entry entry =
        new Entry(
            false,
            payloadBytes,
            globalBatchSeq,
            recordedAtMicros,
            inputCursor,
            records,
            metadataRecords,
            Entry.crc(bytes, Entry.BYTES, payloadBytes));
    entry.write(bytes, 0);
    return entry;
  }
}
