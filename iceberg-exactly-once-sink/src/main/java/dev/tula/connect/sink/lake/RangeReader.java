package dev.tula.connect.sink.lake;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.MalformedRecordException;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.model.RowField;
import dev.tula.connect.model.RowSchema;
import dev.tula.connect.model.RowWriter;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.LogicalTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;

/**
 * Reads a range back from a table and encodes its rows anew. What comes out is byte for byte what
 * went in, or the table does not hold what was committed.
 *
 * <p>Not thread-safe.
 */
final class RangeReader {
  private static final long MICROS = 1_000_000;

  private final Table table;
  private final LogicalTable logical;
  private final List<RowField> fields;
  private final RowSchema rowSchema;
  private final RowWriter writer = new RowWriter();

  RangeReader(Table table, LogicalTable logical) {
    this.table = table;
    this.logical = logical;
    this.fields = LakeSchemas.columns(logical);
    this.rowSchema = RowSchema.of(logical.kind());
  }

  /**
   * The rows in position order.
   *
   * @throws LakeException that is lasting, if there are more than {@code maxRows}, or a value is
   *     there that no canonical row can have
   */
  List<CanonicalRow> read(Range range, int maxRows) {
    List<CanonicalRow> rows = new ArrayList<>();
    try (CloseableIterable<Record> records =
        IcebergGenerics.read(table)
            .where(within(range))
            .select(fields.stream().map(RowField::name).toArray(String[]::new))
            .build()) {
      for (Record record : records) {
        if (rows.size() == maxRows) {
          throw LakeException.lasting(
              "table " + table.name() + " has more than " + maxRows + " rows in " + range, null);
        }
        rows.add(encode(record));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    rows.sort(Comparator.comparing(CanonicalRow::position));
    return rows;
  }

  private static Expression within(Range range) {
    return Expressions.and(Expressions.not(atOrBelow(range.from())), atOrBelow(range.to()));
  }

  private static Expression atOrBelow(Position position) {
    return Expressions.or(
        Expressions.lessThan("global_batch_seq", position.globalBatchSeq()),
        Expressions.and(
            Expressions.equal("global_batch_seq", position.globalBatchSeq()),
            Expressions.lessThanOrEqual("array_index", position.arrayIndex())));
  }

  private CanonicalRow encode(Record record) {
    try {
      writer.begin(logical.kind());
      for (RowField field : fields) {
        put(field, record.getField(field.name()));
      }
      return fields.size() == rowSchema.size() ? writer.toRow() : writer.absentToEnd().toRow();
    } catch (MalformedRecordException | ArithmeticException e) {
      throw LakeException.lasting(
          "table "
              + table.name()
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
