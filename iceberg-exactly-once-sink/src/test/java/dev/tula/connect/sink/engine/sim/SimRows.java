package dev.tula.connect.sink.engine.sim;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.RecordKind;
import dev.tula.connect.model.RowWriter;

/** Rows that stand for others. */
final class SimRows {
  /** Some row. */
  static final CanonicalRow PLACEHOLDER =
      new RowWriter()
          .begin(RecordKind.SOURCE_CHANGE)
          .putLong(1)
          .putLong(1)
          .putInt(0)
          .putTimestamp(0)
          .putTimestamp(0)
          .putString("watermark")
          .putString("updated")
          .putString("stream")
          .absentToEnd()
          .toRow();

  private SimRows() {}

  /** A transfer of one minor unit. */
  static CanonicalRow transaction(long batch, int index, String mode) {
    return new RowWriter()
        .begin(RecordKind.TRANSACTION)
        .putLong(batch)
        .putLong(batch)
        .putInt(index)
        .putTimestamp(batch)
        .putTimestamp(batch)
        .putId(batch, index)
        .putId(1, 2)
        .putInt(1)
        .putInt(1)
        .putString("EUR")
        .putId(0, 1)
        .putId(0, 2)
        .putAmount(1)
        .putString("single_phase")
        .putString(mode)
        .putString("posted")
        .absentToEnd()
        .toRow();
  }

  /** The same row with its last byte but one changed; a row that reads as well as before. */
  static CanonicalRow altered(CanonicalRow row) {
    byte[] bytes = new byte[row.length()];
    System.arraycopy(row.array(), row.offset(), bytes, 0, bytes.length);
    // The lowest byte of the timestamp field, which every kind has.
    bytes[33] ^= 1;
    return CanonicalRow.of(bytes);
  }
}
