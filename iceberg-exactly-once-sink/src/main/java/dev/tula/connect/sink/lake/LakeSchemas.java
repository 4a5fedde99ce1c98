package dev.tula.connect.sink.lake;

import dev.tula.connect.model.FieldType;
import dev.tula.connect.model.RowField;
import dev.tula.connect.model.RowSchema;
import dev.tula.connect.sink.engine.LogicalTable;
import java.util.ArrayList;
import java.util.List;
import org.apache.iceberg.Schema;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;

/**
 * The columns of the lake's tables. A column's id is its field's number, so canonical order and
 * column order are one.
 */
final class LakeSchemas {
  private LakeSchemas() {}

  /** The fields of a kind that have a column in a table, in canonical order. */
  static List<RowField> columns(LogicalTable table) {
    List<RowField> fields = RowSchema.of(table.kind()).fields();
    return table.hasAmounts() && !table.fullTxnRecord()
        ? fields.subList(0, RowSchema.FIRST_FULL_RECORD_FIELD)
        : fields;
  }

  /** The schema of a data table. */
  static Schema of(LogicalTable table, int amountPrecision) {
    List<RowField> fields = columns(table);
    int nextNestedId = fields.size() + 1;
    List<NestedField> columns = new ArrayList<>();
    for (RowField field : fields) {
      Type type = type(field.type(), amountPrecision, nextNestedId);
      if (type.isNestedType()) {
        nextNestedId++;
      }
      columns.add(
          NestedField.builder()
              .withId(field.id())
              .withName(field.name())
              .isOptional(!field.required())
              .ofType(type)
              .withDoc(ColumnDocs.of(field.name()))
              .build());
    }
    return new Schema(columns);
  }

  private static Type type(FieldType type, int amountPrecision, int elementId) {
    return switch (type) {
      case LONG -> Types.LongType.get();
      case INT -> Types.IntegerType.get();
      case TIMESTAMP -> Types.TimestampType.withZone();
      case STRING, ID128, HASH256 -> Types.StringType.get();
      case AMOUNT -> Types.DecimalType.of(amountPrecision, 0);
      case STRING_LIST -> Types.ListType.ofRequired(elementId, Types.StringType.get());
    };
  }

  /** The schema of a watermark table. */
  static Schema watermark() {
    return new Schema(
        column(1, "pipeline", Types.StringType.get()),
        column(2, "generation", Types.IntegerType.get()),
        column(3, "partition", Types.IntegerType.get()),
        column(4, "partition_count", Types.IntegerType.get()),
        column(5, "global_batch_seq", Types.LongType.get()),
        column(6, "array_index", Types.IntegerType.get()),
        column(7, "closed_through", Types.TimestampType.withZone()),
        column(8, "layout", Types.StringType.get()),
        column(9, "include_metadata", Types.BooleanType.get()),
        column(10, "full_txn_record", Types.BooleanType.get()),
        column(11, "writer_epoch", Types.LongType.get()),
        column(12, "kafka_topic", Types.StringType.get()),
        column(13, "kafka_partition", Types.IntegerType.get()),
        column(14, "kafka_offset", Types.LongType.get()),
        column(15, "updated_at", Types.TimestampType.withZone()));
  }

  /** The schema of the identity table, which never has a row. */
  static Schema pipeline() {
    return new Schema(column(1, "pipeline", Types.StringType.get()));
  }

  private static NestedField column(int id, String name, Type type) {
    return NestedField.builder()
        .withId(id)
        .withName(name)
        .isOptional(false)
        .ofType(type)
        .withDoc(ColumnDocs.of(name))
        .build();
  }
}
