package dev.tula.connect.lake;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.RecordKind;
import dev.tula.connect.model.RowWriter;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/** The rows of a small ledger: each batch's follow from its number alone. */
final class TestRows {
  static final long EPOCH_MICROS = 1_700_000_000_000_000L;
  static final int TRANSFERS_PER_BATCH = 3;

  private TestRows() {}

  /** Three transfers, and in every other batch an account that changed. */
  static List<CanonicalRow> batch(long batch) {
    List<CanonicalRow> rows = new ArrayList<>();
    for (int i = 0; i < TRANSFERS_PER_BATCH; i++) {
      rows.add(transfer(batch, i));
    }
    if (batch % 2 == 0) {
      rows.add(account(batch, TRANSFERS_PER_BATCH));
    }
    return rows;
  }

  /** What a bootstrap seeds as of a batch: some accounts, and a currency. */
  static List<CanonicalRow> state(long batch) {
    List<CanonicalRow> rows = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      rows.add(
          begin(RecordKind.ACCOUNT_CHANGE, batch, Position.FIRST_SEEDED_INDEX + i)
              .putId(1, i)
              .putString("seeded")
              .putString("bootstrap")
              .absentToEnd()
              .toRow());
    }
    rows.add(
        begin(RecordKind.CURRENCY_CHANGE, batch, Position.FIRST_SEEDED_INDEX + 4)
            .putString("EUR")
            .putString("seeded")
            .putString("bootstrap")
            .absentToEnd()
            .toRow());
    return rows;
  }

  static long amount(long batch, int index) {
    return 1_000 * batch + index;
  }

  /** The amounts of all batches up to one. */
  static BigInteger amountsTo(long lastBatch) {
    BigInteger sum = BigInteger.ZERO;
    for (long batch = 1; batch <= lastBatch; batch++) {
      for (int i = 0; i < TRANSFERS_PER_BATCH; i++) {
        sum = sum.add(BigInteger.valueOf(amount(batch, i)));
      }
    }
    return sum;
  }

  private static RowWriter begin(RecordKind kind, long batch, int index) {
    return new RowWriter()
        .begin(kind)
        .putLong(batch)
        .putLong(batch)
        .putInt(index)
        .putTimestamp(EPOCH_MICROS + batch * 1_000 - 1)
        .putTimestamp(EPOCH_MICROS + batch * 1_000);
  }

  private static CanonicalRow transfer(long batch, int index) {
    return begin(RecordKind.TRANSACTION, batch, index)
        .putId(batch, index)
        .putId(~batch, index)
        .putInt(1)
        .putInt(7)
        .putString("EUR")
        .putId(1, batch)
        .putId(2, index)
        .putAmount(amount(batch, index))
        .putString("single_phase")
        .putString("default")
        .putString("posted")
        .absentToEnd()
        .toRow();
  }

  private static CanonicalRow account(long batch, int index) {
    return begin(RecordKind.ACCOUNT_CHANGE, batch, index)
        .putId(1, batch)
        .putString("created")
        .putString("stream")
        .absentToEnd()
        .toRow();
  }
}
