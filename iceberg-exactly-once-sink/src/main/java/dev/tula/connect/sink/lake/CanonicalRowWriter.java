package dev.tula.connect.sink.lake;

import dev.tula.connect.model.RowField;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.model.RowSchema;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.parquet.ParquetValueWriter;
import org.apache.iceberg.parquet.TripleWriter;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.schema.MessageType;

/**
 * Writes canonical rows into Parquet columns straight from their bytes: nothing is boxed, and ids
 * become hex digits in a buffer that is used again.
 *
 * <p>Not thread-safe.
 */
final class CanonicalRowWriter implements ParquetValueWriter<RowReader> {
  private final CanonicalColumn[] columns;
  private final int[] unwritten;

  /**
   * A writer of one file.
   *
   * @param type the file's columns
   * @param fields the fields that have a column, in canonical order
   * @param rowSchema all fields of the rows' kind
   */
  CanonicalRowWriter(MessageType type, List<RowField> fields, RowSchema rowSchema) {
    List<CanonicalColumn> writers = new ArrayList<>();
    for (RowField field : fields) {
      writers.add(CanonicalColumn.of(field, descriptor(type, field.name())));
    }
    this.columns = writers.toArray(CanonicalColumn[]::new);
    this.unwritten =
        rowSchema.fields().stream()
            .filter(field -> !fields.contains(field))
            .mapToInt(field -> field.id() - 1)
            .toArray();
  }

  private static ColumnDescriptor descriptor(MessageType type, String name) {
    return type.getColumns().stream()
        .filter(column -> column.getPath()[0].equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("the file has no column " + name));
  }

  @Override
  public void write(int repetitionLevel, RowReader row) {
    for (int field : unwritten) {
      if (row.isPresent(field)) {
        throw new UnwritableRowException(
            "has " + row.schema().field(field).name() + ", for which the table has no column");
      }
    }
    for (CanonicalColumn column : columns) {
      column.write(row);
    }
  }

  @Override
  public List<TripleWriter<?>> columns() {
    return List.of(); // asked only of what is nested in something else
  }

  @Override
  public void setColumnStore(ColumnWriteStore store) {
    for (CanonicalColumn column : columns) {
      column.open(store);
    }
  }
}
