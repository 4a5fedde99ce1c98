package dev.tula.connect.model;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;

/**
 * One ledger record as its canonical bytes: a slice of an array that is never written to again. The
 * bytes are what the digest runs over (I8), so they travel from the engine's page to the lake
 * without being encoded anew.
 *
 * <p>The five fields that every kind begins with have fixed places and are read from there; the
 * rest is read with a {@link RowReader}. Immutable as long as the array is, and safe for any
 * thread.
 */
public final class CanonicalRow {
  /** The version byte that every row begins with. */
  public static final byte FORMAT = 0x01;

  static final byte ABSENT = 0x00;
  static final byte PRESENT = 0x01;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private static final int GLOBAL_BATCH_SEQ_AT = 3;
  private static final int BATCH_SEQ_AT = 12;
  private static final int ARRAY_INDEX_AT = 21;
  private static final int TIMESTAMP_AT = 26;
  private static final int RECORDED_AT_AT = 35;
  private static final int HEADER_LENGTH = 43;

  private final byte[] array;
  private final int offset;
  private final int length;

  private CanonicalRow(byte[] array, int offset, int length) {
    this.array = array;
    this.offset = offset;
    this.length = length;
  }

  /**
   * The row in {@code array} from {@code offset}. Only the header is checked here; a {@link
   * RowReader} checks the rest.
   *
   * @throws MalformedRecordException if it does not begin as a row does
   */
  public static CanonicalRow of(byte[] array, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, array.length);
    if (length < HEADER_LENGTH) {
      throw new MalformedRecordException(
          "row of "
              + length
              + " bytes is shorter than the "
              + HEADER_LENGTH
              + " that begin every row");
    }
    if (array[offset] != FORMAT) {
      throw new MalformedRecordException(
          "row format " + array[offset] + " is not known; this version reads format " + FORMAT);
    }
    if (!RecordKind.ofCode(array[offset + 1]).isRow()) {
      throw new MalformedRecordException("record kind " + array[offset + 1] + " is not a row");
    }
    CanonicalRow row = new CanonicalRow(array, offset, length);
    row.checkHeader();
    return row;
  }

  /** The row that fills {@code array}. */
  public static CanonicalRow of(byte[] array) {
    return of(array, 0, array.length);
  }

  private void checkHeader() {
    if (array[offset + GLOBAL_BATCH_SEQ_AT - 1] != PRESENT
        || array[offset + BATCH_SEQ_AT - 1] != PRESENT
        || array[offset + ARRAY_INDEX_AT - 1] != PRESENT
        || array[offset + TIMESTAMP_AT - 1] != PRESENT
        || array[offset + RECORDED_AT_AT - 1] != PRESENT) {
      throw new MalformedRecordException("row lacks one of the five fields that begin every row");
    }
    if (globalBatchSeq() < 1 || arrayIndex() < 0 || arrayIndex() == Position.BATCH_END_INDEX) {
      throw new MalformedRecordException(
          "row claims the impossible position " + globalBatchSeq() + ":" + arrayIndex());
    }
  }

  /** The kind of record. */
  public RecordKind kind() {
    return RecordKind.ofCode(array[offset + 1]);
  }

  /** Its position. */
  public Position position() {
    return new Position(globalBatchSeq(), arrayIndex());
  }

  /** The batch's number in the ledger's own order. */
  public long globalBatchSeq() {
    return readLong(array, offset + GLOBAL_BATCH_SEQ_AT);
  }

  /** The record's index in its batch. */
  public int arrayIndex() {
    return readInt(array, offset + ARRAY_INDEX_AT);
  }

  /** The engine's time for this record, µs since the epoch. */
  public long timestampMicros() {
    return readLong(array, offset + TIMESTAMP_AT);
  }

  /** The commit time of the batch, µs since the epoch. */
  public long recordedAtMicros() {
    return readLong(array, offset + RECORDED_AT_AT);
  }

  /** The backing array; not to be written to. */
  public byte[] array() {
    return array;
  }

  /** Where the row begins in {@link #array()}. */
  public int offset() {
    return offset;
  }

  /** Its length in bytes. */
  public int length() {
    return length;
  }

  /** A copy of the bytes. */
  public byte[] toByteArray() {
    return Arrays.copyOfRange(array, offset, offset + length);
  }

  /** Whether both are the same bytes. */
  public boolean sameBytes(CanonicalRow other) {
    return Arrays.equals(
        array, offset, offset + length, other.array, other.offset, other.offset + other.length);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CanonicalRow row && sameBytes(row);
  }

  @Override
  public int hashCode() {
    int hash = 1;
    for (int i = offset; i < offset + length; i++) {
      hash = 31 * hash + array[i];
    }
    return hash;
  }

  @Override
  public String toString() {
    return kind() + " " + globalBatchSeq() + ":" + arrayIndex() + " (" + length + " bytes)";
  }

  static long readLong(byte[] bytes, int at) {
    return (long) LONGS.get(bytes, at);
  }

  static int readInt(byte[] bytes, int at) {
    return (int) INTS.get(bytes, at);
  }

  static void writeLong(byte[] bytes, int at, long value) {
    LONGS.set(bytes, at, value);
  }

  static void writeInt(byte[] bytes, int at, int value) {
    INTS.set(bytes, at, value);
  }
}
