package dev.tula.connect.queryport;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.RecordKind;
import dev.tula.connect.model.RowWriter;
import dev.tula.connect.model.wire.Message;

/** Rows for tests. A batch's number in seconds is its {@code recorded_at}. */
public final class Rows {
  /** Microseconds in a second. */
  public static final long MICROS_PER_SECOND = 1_000_000;

  private Rows() {}

  /** A transaction at a position. */
  public static CanonicalRow transaction(long globalBatchSeq, int arrayIndex) {
    return transaction(globalBatchSeq, arrayIndex, globalBatchSeq * MICROS_PER_SECOND);
  }

  /** A transaction at a position, recorded at a time. */
  public static CanonicalRow transaction(
      long globalBatchSeq, int arrayIndex, long recordedAtMicros) {
    return new RowWriter()
        .begin(RecordKind.TRANSACTION)
        .putLong(globalBatchSeq)
        .putLong(globalBatchSeq)
        .putInt(arrayIndex)
        .putTimestamp(recordedAtMicros - 5)
        .putTimestamp(recordedAtMicros)
        .putId(0, arrayIndex)
        .putId(0, arrayIndex)
        .putInt(1)
        .putInt(1)
        .putString("EUR")
        .putId(0, arrayIndex)
        .putId(0, arrayIndex)
        .putAmount(100)
        .putString("single_phase")
        .putString("default")
        .putString("posted")
        .absentToEnd()
        .toRow();
  }

  /** The kind of the rows that a kind of state is made of. */
  public static RecordKind kind(Message.StateKind kind) {
    return RecordKind.ofCode(RecordKind.ACCOUNT_CHANGE.code() + kind.ordinal());
  }

  /** A row of the state as of a batch's end. */
  public static CanonicalRow seeded(Message.StateKind kind, long globalBatchSeq, int ordinal) {
    return seeded(kind, globalBatchSeq, ordinal, "seeded", "bootstrap");
  }

  /** A row of the state as of a batch's end, marked as one likes. */
  public static CanonicalRow seeded(
      Message.StateKind kind, long globalBatchSeq, int ordinal, String change, String origin) {
    RowWriter writer =
        new RowWriter()
            .begin(kind(kind))
            .putLong(globalBatchSeq)
            .putLong(globalBatchSeq)
            .putInt(Position.FIRST_SEEDED_INDEX + ordinal)
            .putTimestamp(globalBatchSeq * MICROS_PER_SECOND)
            .putTimestamp(globalBatchSeq * MICROS_PER_SECOND);
    if (kind == Message.StateKind.ACCOUNTS) {
      writer.putId(globalBatchSeq, ordinal);
    } else {
      writer.putString("E" + ordinal);
    }
    return writer.putString(change).putString(origin).absentToEnd().toRow();
  }

  /** A currency change at a position. */
  public static CanonicalRow currencyChange(long globalBatchSeq, int arrayIndex) {
    return new RowWriter()
        .begin(RecordKind.CURRENCY_CHANGE)
        .putLong(globalBatchSeq)
        .putLong(globalBatchSeq)
        .putInt(arrayIndex)
        .putTimestamp(globalBatchSeq * MICROS_PER_SECOND)
        .putTimestamp(globalBatchSeq * MICROS_PER_SECOND)
        .putString("EUR")
        .putString("created")
        .putString("stream")
        .absentToEnd()
        .toRow();
  }
}
