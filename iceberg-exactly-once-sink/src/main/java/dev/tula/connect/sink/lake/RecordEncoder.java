package dev.tula.connect.sink.lake;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.MalformedRecordException;
import dev.tula.connect.model.RowField;
import dev.tula.connect.model.RowSchema;
import dev.tula.connect.model.RowWriter;
import dev.tula.connect.sink.engine.LogicalTable;
import java.math.BigDecimal;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.data.Record;

/**
 * Makes canonical rows of the records that a table's files hold, whatever else is in them.
 *
 * <p>Not thread-safe.
 */
final class RecordEncoder {
  private static final long MICROS = 1_000_000;

  private final String table;
  private final LogicalTable logical;
  private final List<RowField> fields;
  private final RowSchema rowSchema;
  private final RowWriter writer = new RowWriter();

  /**
   * @param table its name, for messages
   * @param logical which one it is
   */
  RecordEncoder(String table, LogicalTable logical) {
    this.table = table;
    this.logical = logical;
    this.fields = LakeSchemas.columns(logical);
    this.rowSchema = RowSchema.of(logical.kind());
  }

  /** The columns that it needs. */
  String[] columns() {
    return fields.stream().map(RowField::name).toArray(String[]::new);
  }

  /**
   * A record's row.
   *
   * @throws ChangedRowsException if no canonical row has these values
   */
  CanonicalRow encode(Record record) {
    try {
      writer.begin(logical.kind());
      for (RowField field : fields) {
        put(field, record.getField(field.name()));
      }
      return fields.size() == rowSchema.size() ? writer.toRow() : writer.absentToEnd().toRow();
    } catch (MalformedRecordException | ArithmeticException e) {
      throw new ChangedRowsException(
          "table "
              + table
              + ", row at "
              + record.getField("global_batch_seq")
              + ":"
              + record.getField("array_index")
              + ": "
              + e.getMessage()
              + "; it was changed after it was committed",
          e);
    }
  }

  private void put(RowField field, Object value) {
    if (value == null) {
      writer.absent();
      return;
    }
    switch (field.type()) {
      case LONG -> writer.putLong((Long) value);
      case INT -> writer.putInt((Integer) value);
      case TIMESTAMP -> writer.putTimestamp(micros((OffsetDateTime) value));
      case STRING -> writer.putString((String) value);
      case ID128, HASH256 -> writer.putHex((String) value);
      case AMOUNT -> writer.putAmount(((BigDecimal) value).toBigIntegerExact());
      case STRING_LIST -> writer.putStringList(strings((List<?>) value));
    }
  }

  /** Exact over all of a long, which {@code ChronoUnit.between} is not: it counts nanoseconds. */
  private static long micros(OffsetDateTime time) {
    long seconds = time.toEpochSecond();
    long micros = time.getNano() / 1_000;
    return seconds < 0
        ? Math.addExact(Math.multiplyExact(seconds + 1, MICROS), micros - MICROS)
        : Math.addExact(Math.multiplyExact(seconds, MICROS), micros);
  }

  private static List<String> strings(List<?> values) {
    List<String> strings = new ArrayList<>();
    for (Object value : values) {
      if (value == null) {
        throw new MalformedRecordException("a list holds a null");
      }
      strings.add((String) value);
    }
    return strings;
  }
}
