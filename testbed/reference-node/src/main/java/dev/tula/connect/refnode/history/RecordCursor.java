package dev.tula.connect.refnode.history;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.refnode.engine.Sha3;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Walks the records of one batch's payload in order, and gives each in the form that a reader asked
 * for. Not thread-safe.
 */
public final class RecordCursor {
  static final int HEAD_BYTES = 9;

  private static final int TAIL_AT = 4;
  private static final int REASON_AT = 6;
  private static final int TYPE_AT = 8;
  private static final int KIND_AT = 1;
  private static final int TAIL_FIELDS = 7;
  private static final byte ABSENT = 0;
  private static final byte PRESENT = 1;
  private static final int REASON_VALUE_BYTES = 4;

  private final long globalBatchSeq;
  private final ByteBuffer payload;
  private final int records;
  private final Sha3 sha3 = new Sha3();
  private int headAt;
  private int index = -1;

  /**
   * Before the first record.
   *
   * @param payload a batch's, not written to as long as rows of it are in use
   * @param records how many it holds
   */
  RecordCursor(long globalBatchSeq, byte[] payload, int records) {
    this.globalBatchSeq = globalBatchSeq;
    this.payload = ByteBuffer.wrap(payload);
    this.records = records;
  }

  /** The batch. */
  public long globalBatchSeq() {
    return globalBatchSeq;
  }

  /** The number of records in the batch. */
  public int records() {
    return records;
  }

  /** Moves to the next record; false after the last. */
  public boolean next() {
    if (index + 1 >= records) {
      return false;
    }
    if (index >= 0) {
      headAt += HEAD_BYTES + length();
    }
    index++;
    return true;
  }

  /** Moves to where {@link #next} leads to the first record above that index. */
  public void seekAfter(int afterIndex) {
    if (index > afterIndex) {
      headAt = 0;
      index = -1;
    }
    while (index < afterIndex && next()) {
      // The walk is the work.
    }
  }

  /** The record's index in the batch. */
  public int index() {
    return index;
  }

  /** The record's position. */
  public Position position() {
    return new Position(globalBatchSeq, index);
  }

  /** Whether no record follows. */
  public boolean isLast() {
    return index == records - 1;
  }

  /** Whether the record is a metadata change. */
  public boolean isMetadata() {
    return payload.get(rowAt() + KIND_AT) != 1;
  }

  /** The code of the request behind the record; 0 for a metadata change. */
  public byte requestType() {
    return payload.get(headAt + TYPE_AT);
  }

  /** Where the record's head lies in the payload. */
  int headAt() {
    return headAt;
  }

  private int length() {
    return payload.getInt(headAt);
  }

  private int rowAt() {
    return headAt + HEAD_BYTES;
  }

  /** The record as it is stored: in full, but for the digest. Shares the payload's bytes. */
  public CanonicalRow stored() {
    return CanonicalRow.of(payload.array(), rowAt(), length());
  }

  /** The length of {@link #row} in bytes. */
  public int rowLength(RecordForm form) {
    int length = length();
    if (isMetadata()) {
      return length;
    }
    if (form.fullRecord()) {
      return length + Sha3.DIGEST_BYTES;
    }
    return tailAt() + TAIL_FIELDS - (dropsReason(form) ? REASON_VALUE_BYTES : 0);
  }

  /** The record's canonical bytes as a reader of that form sees them. */
  public CanonicalRow row(RecordForm form) {
    if (isMetadata()) {
      return stored();
    }
    byte[] row = new byte[rowLength(form)];
    if (form.fullRecord()) {
      fillFull(row);
    } else {
      fillNarrow(row, dropsReason(form));
    }
    return CanonicalRow.of(row);
  }

  private void fillFull(byte[] row) {
    int digestAt = length() - 1;
    payload.get(rowAt(), row, 0, digestAt);
    row[digestAt] = PRESENT;
    sha3.digest(row, 0, digestAt, row, digestAt + 1);
  }

  private void fillNarrow(byte[] row, boolean dropReason) {
    int tailAt = tailAt();
    if (!dropReason) {
      payload.get(rowAt(), row, 0, tailAt);
    } else {
      int reasonAt = reasonAt();
      int afterReason = reasonAt + 1 + REASON_VALUE_BYTES;
      payload.get(rowAt(), row, 0, reasonAt);
      row[reasonAt] = ABSENT;
      payload.get(rowAt() + afterReason, row, reasonAt + 1, tailAt - afterReason);
    }
    Arrays.fill(row, row.length - TAIL_FIELDS, row.length, ABSENT);
  }

  private boolean dropsReason(RecordForm form) {
    return !form.includeMetadata() && payload.get(rowAt() + reasonAt()) == PRESENT;
  }

  private int tailAt() {
    return Short.toUnsignedInt(payload.getShort(headAt + TAIL_AT));
  }

  private int reasonAt() {
    return Short.toUnsignedInt(payload.getShort(headAt + REASON_AT));
  }
}
