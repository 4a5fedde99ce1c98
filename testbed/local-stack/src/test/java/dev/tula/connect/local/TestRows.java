package dev.tula.connect.local;

import dev.tula.connect.model.RecordKind;
import dev.tula.connect.model.RowWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A small ledger's records: as canonical bytes, and as SQL values for the same rows in a lake. */
final class TestRows {
  static final int BATCH_RECORDS = 10;

  private TestRows() {}

  /** So many transactions, ten a batch, of every mode and kind. */
  static List<ByteBuffer> transactions(int count) {
    List<ByteBuffer> rows = new ArrayList<>();
    RowWriter writer = new RowWriter();
    for (int i = 0; i < count; i++) {
      rows.add(ByteBuffer.wrap(transaction(writer, i)));
    }
    return rows;
  }

  /** Two changes of a ledger, at positions that no transaction takes. */
  static List<ByteBuffer> ledgerChanges() {
    RowWriter writer = new RowWriter();
    List<ByteBuffer> rows = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      writer.begin(RecordKind.LEDGER_CHANGE);
      header(writer, 1, BATCH_RECORDS + i);
      writer.putString("7").putString("created").putString("stream");
      writer.putString("book").putString("default").putStringList(List.of("EUR", "US'D"));
      rows.add(ByteBuffer.wrap(writer.toByteArray()));
    }
    return rows;
  }

  private static byte[] transaction(RowWriter writer, int i) {
    writer.begin(RecordKind.TRANSACTION);
    header(writer, batch(i), i % BATCH_RECORDS);
    writer.putId(7, i).putId(8, i).putInt(1).putInt(2).putString("EUR");
    writer.putId(1, 100).putId(1, 200).putAmount(amount(i));
    writer.putString(kind(i)).putString(mode(i)).putString("posted");
    return writer.absentToEnd().toByteArray();
  }

  private static void header(RowWriter writer, long batch, int index) {
    writer.putLong(batch).putLong(batch).putInt(index);
    writer.putTimestamp(micros(batch) + index).putTimestamp(micros(batch));
  }

  /** The same transactions as a SELECT, of the columns that a lake has without full records. */
  static String sql(int count) {
    List<String> columns = new ArrayList<>();
    columns.add("CAST(i // 10 + 1 AS BIGINT) AS global_batch_seq");
    columns.add("CAST(i // 10 + 1 AS BIGINT) AS batch_seq");
    columns.add("CAST(i % 10 AS INTEGER) AS array_index");
    columns.add("to_timestamp((" + sqlMicros() + " + i % 10) / 1000000.0) AS timestamp");
    columns.add("to_timestamp((" + sqlMicros() + ") / 1000000.0) AS recorded_at");
    columns.add("format('{:016x}{:016x}', 7, i) AS transfer_id");
    columns.add("format('{:016x}{:016x}', 8, i) AS txn_id");
    columns.add("1::INTEGER AS ledger_id, 2::INTEGER AS source_id, 'EUR' AS currency");
    columns.add("format('{:016x}{:016x}', 1, 100) AS debit_account_id");
    columns.add("format('{:016x}{:016x}', 1, 200) AS credit_account_id");
    columns.add("CAST(1000 + i AS DECIMAL(28, 0)) AS amount");
    columns.add(
        "['single_phase', 'reserve', 'resolution', 'rejected'][CAST(i % 4 AS INTEGER) + 1] AS kind");
    columns.add("if(i % 3 = 0, 'position_settlement', 'default') AS mode, 'posted' AS outcome");
    columns.add("NULL::INTEGER AS reason_code, NULL::VARCHAR AS settlement_id");
    columns.add("NULL::INTEGER AS settlement_cycle, NULL::VARCHAR AS settlement_tier");
    columns.add("NULL::VARCHAR AS debit_settlement_account_id");
    columns.add("NULL::VARCHAR AS credit_settlement_account_id");
    columns.add("NULL::DECIMAL(28, 0) AS settlement_amount");
    return "SELECT "
        + String.join(", ", columns)
        + String.format(Locale.ROOT, " FROM range(%d) r(i)", count);
  }

  private static String sqlMicros() {
    return "(1700000000 + i // 10 + 1) * 1000000";
  }

  static long batch(int i) {
    return i / BATCH_RECORDS + 1;
  }

  static long micros(long batch) {
    return (1_700_000_000L + batch) * 1_000_000;
  }

  static long amount(int i) {
    return 1000 + i;
  }

  static String kind(int i) {
    return List.of("single_phase", "reserve", "resolution", "rejected").get(i % 4);
  }

  static String mode(int i) {
    return i % 3 == 0 ? "position_settlement" : "default";
  }
}
