package dev.tula.connect.model;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A row as plain values in field order: Long, Integer, BigInteger, String (ids as hex), List of
 * String, or null where absent.
 *
 * @param kind the kind of record
 * @param values one for each declared field
 */
public record TestRow(RecordKind kind, List<Object> values) {
  /** Copies the list, which may hold nulls. */
  public TestRow {
    values = Collections.unmodifiableList(new ArrayList<>(values));
  }

  /** Its canonical bytes, by the writer. */
  public CanonicalRow write() {
    RowWriter writer = new RowWriter().begin(kind);
    RowSchema schema = RowSchema.of(kind);
    for (int i = 0; i < schema.size(); i++) {
      put(writer, schema.field(i), values.get(i));
    }
    return writer.toRow();
  }

  private static void put(RowWriter writer, RowField field, Object value) {
    if (value == null) {
      writer.absent();
      return;
    }
    switch (field.type()) {
      case LONG -> writer.putLong((Long) value);
      case INT -> writer.putInt((Integer) value);
      case TIMESTAMP -> writer.putTimestamp((Long) value);
      case AMOUNT -> writer.putAmount((BigInteger) value);
      case ID128, HASH256 -> writer.putHex((String) value);
      case STRING -> writer.putString((String) value);
      case STRING_LIST -> writer.putStringList(strings(value));
    }
  }

  private static List<String> strings(Object value) {
    return ((List<?>) value).stream().map(String.class::cast).toList();
  }

  /** The values in canonical bytes, by the reader. */
  public static TestRow read(CanonicalRow row) {
    RowReader reader = new RowReader().wrap(row);
    List<Object> values = new ArrayList<>();
    for (int i = 0; i < reader.schema().size(); i++) {
      values.add(reader.isPresent(i) ? value(reader, i) : null);
    }
    return new TestRow(row.kind(), values);
  }

  private static Object value(RowReader reader, int index) {
    return switch (reader.schema().field(index).type()) {
      case LONG, TIMESTAMP -> (Object) reader.longValue(index);
      case INT -> reader.intValue(index);
      case AMOUNT -> reader.amount(index);
      case ID128, HASH256 -> reader.hex(index);
      case STRING -> reader.string(index);
      case STRING_LIST -> reader.stringList(index);
    };
  }
}
