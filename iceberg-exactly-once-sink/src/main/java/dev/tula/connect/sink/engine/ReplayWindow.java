package dev.tula.connect.sink.engine;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import java.util.OptionalLong;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/**
 * Fingerprints of the rows that were taken from the stream last, in position order, to compare
 * replays with (C13). Rows above W never leave it; of older ones it keeps as many as fit. 20 bytes
 * a row. Not thread-safe.
 */
final class ReplayWindow {
  /** The memory of one row's fingerprint and position. */
  static final int ROW_BYTES = 20;

  private static final int FIRST_CAPACITY = 1024;

  private int keep;
  private final CRC32C crc32c = new CRC32C();
  private final CRC32 crc32 = new CRC32();
  private long[] batches = new long[FIRST_CAPACITY];
  private int[] indexes = new int[FIRST_CAPACITY];
  private long[] fingerprints = new long[FIRST_CAPACITY];
  private int head;
  private int size;

  /** Keeps about {@code keep} rows, more only if they are above W. */
  ReplayWindow(int keep) {
    this.keep = keep;
  }

  /** Two checksums side by side: 64 bits that any accidental change of a row shows in. */
  long fingerprint(CanonicalRow row) {
    crc32c.reset();
    crc32c.update(row.array(), row.offset(), row.length());
    crc32.reset();
    crc32.update(row.array(), row.offset(), row.length());
    return crc32c.getValue() << 32 | crc32.getValue();
  }

  /** Adds a row that lies after all others. */
  void add(CanonicalRow row) {
    if (size == batches.length) {
      resize(batches.length * 2);
    }
    int slot = slot(size);
    batches[slot] = row.globalBatchSeq();
    indexes[slot] = row.arrayIndex();
    fingerprints[slot] = fingerprint(row);
    size++;
  }

  /** From the next {@link #trim} on, it keeps about that many. */
  void keep(int rows) {
    keep = rows;
  }

  /** The memory that it takes. */
  long bytes() {
    return (long) ROW_BYTES * batches.length;
  }

  /** Drops the oldest rows at or below W that are too many. */
  void trim(Position w) {
    while (size > keep && compareAt(0, w.globalBatchSeq(), w.arrayIndex()) <= 0) {
      head = slot(1);
      size--;
    }
    while (batches.length > FIRST_CAPACITY && size <= batches.length / 4) {
      resize(batches.length / 2);
    }
  }

  /** Forgets everything. */
  void clear() {
    head = 0;
    size = 0;
  }

  int size() {
    return size;
  }

  /** Whether a row at this position would have been here, had it been taken from the stream. */
  boolean reaches(Position position) {
    return size > 0 && compareAt(0, position.globalBatchSeq(), position.arrayIndex()) <= 0;
  }

  /** The fingerprint of the row at a position. */
  OptionalLong find(long globalBatchSeq, int arrayIndex) {
    int low = 0;
    int high = size - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int order = compareAt(middle, globalBatchSeq, arrayIndex);
      if (order == 0) {
        return OptionalLong.of(fingerprints[slot(middle)]);
      }
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return OptionalLong.empty();
  }

  private int compareAt(int ordinal, long globalBatchSeq, int arrayIndex) {
    int slot = slot(ordinal);
    int byBatch = Long.compare(batches[slot], globalBatchSeq);
    return byBatch != 0 ? byBatch : Integer.compare(indexes[slot], arrayIndex);
  }

  private int slot(int ordinal) {
    int slot = head + ordinal;
    return slot >= batches.length ? slot - batches.length : slot;
  }

  private void resize(int capacity) {
    long[] resizedBatches = new long[capacity];
    int[] resizedIndexes = new int[capacity];
    long[] resizedFingerprints = new long[capacity];
    int first = Math.min(size, batches.length - head);
    System.arraycopy(batches, head, resizedBatches, 0, first);
    System.arraycopy(batches, 0, resizedBatches, first, size - first);
    System.arraycopy(indexes, head, resizedIndexes, 0, first);
    System.arraycopy(indexes, 0, resizedIndexes, first, size - first);
    System.arraycopy(fingerprints, head, resizedFingerprints, 0, first);
    System.arraycopy(fingerprints, 0, resizedFingerprints, first, size - first);
    batches = resizedBatches;
    indexes = resizedIndexes;
    fingerprints = resizedFingerprints;
    head = 0;
  }
}
