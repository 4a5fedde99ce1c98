package dev.tula.connect.model;

import java.util.EnumMap;
import java.util.Map;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;

/**
 * The Connect schemas of the row format, one named and versioned schema a kind. Times are int64 µs,
 * amounts {@code Decimal(0)}, ids hex strings; nothing is narrowed on the way (I7).
 */
public final class ConnectSchemas {
  /** The version of every schema here. */
  public static final int VERSION = 1;

  static final String RECORD_KIND = "record_kind";
  static final String PRED_GLOBAL_BATCH_SEQ = "pred_global_batch_seq";
  static final String PRED_ARRAY_INDEX = "pred_array_index";
  static final String FROM_GLOBAL_BATCH_SEQ = "from_global_batch_seq";
  static final String FROM_ARRAY_INDEX = "from_array_index";
  static final String TO_GLOBAL_BATCH_SEQ = "to_global_batch_seq";
  static final String TO_ARRAY_INDEX = "to_array_index";
  static final String CLOSED_THROUGH = "closed_through";
  static final String FLOOR_TIME = "floor_time";
  static final String CLUSTER_ID = "cluster_id";
  static final String PIPELINE = "pipeline";
  static final String GENERATION = "generation";
  static final String PARTITION = "partition";
  static final String PARTITION_COUNT = "partition_count";
  static final String INCLUDE_METADATA = "include_metadata";
  static final String FULL_TXN_RECORD = "full_txn_record";

  /** The fields before a row's own. */
  static final int ROW_FIELDS_AT = 3;

  private static final Map<RecordKind, Schema> SCHEMAS = new EnumMap<>(RecordKind.class);

  static {
    for (RecordKind kind : RecordKind.values()) {
      SCHEMAS.put(
          kind, kind.isRow() ? row(kind) : kind == RecordKind.COVERAGE ? coverage() : start());
    }
  }

  private ConnectSchemas() {}

  /** The schema of a kind. */
  public static Schema of(RecordKind kind) {
    return SCHEMAS.get(kind);
  }

  private static SchemaBuilder begin(RecordKind kind) {
    return SchemaBuilder.struct()
        .name(kind.schemaName())
        .version(VERSION)
        .field(RECORD_KIND, Schema.INT8_SCHEMA);
  }

  private static Schema row(RecordKind kind) {
    SchemaBuilder builder =
        begin(kind)
            .field(PRED_GLOBAL_BATCH_SEQ, Schema.INT64_SCHEMA)
            .field(PRED_ARRAY_INDEX, Schema.INT32_SCHEMA);
    for (RowField field : RowSchema.of(kind).fields()) {
      builder.field(field.name(), field(field));
    }
    return builder.build();
  }

  private static Schema field(RowField field) {
    return switch (field.type()) {
      case LONG, TIMESTAMP -> field.required() ? Schema.INT64_SCHEMA : Schema.OPTIONAL_INT64_SCHEMA;
      case INT -> field.required() ? Schema.INT32_SCHEMA : Schema.OPTIONAL_INT32_SCHEMA;
      case STRING, ID128, HASH256 ->
          field.required() ? Schema.STRING_SCHEMA : Schema.OPTIONAL_STRING_SCHEMA;
      case AMOUNT -> field.required() ? Decimal.schema(0) : Decimal.builder(0).optional().build();
      case STRING_LIST -> list(field.required());
    };
  }

  private static Schema list(boolean required) {
    SchemaBuilder builder = SchemaBuilder.array(Schema.STRING_SCHEMA);
    return required ? builder.build() : builder.optional().build();
  }

  private static Schema coverage() {
    return identity(
            begin(RecordKind.COVERAGE)
                .field(FROM_GLOBAL_BATCH_SEQ, Schema.INT64_SCHEMA)
                .field(FROM_ARRAY_INDEX, Schema.INT32_SCHEMA)
                .field(TO_GLOBAL_BATCH_SEQ, Schema.INT64_SCHEMA)
                .field(TO_ARRAY_INDEX, Schema.INT32_SCHEMA)
                .field(CLOSED_THROUGH, Schema.INT64_SCHEMA))
        .build();
  }

  private static Schema start() {
    return identity(
            begin(RecordKind.START)
                .field(FROM_GLOBAL_BATCH_SEQ, Schema.INT64_SCHEMA)
                .field(FROM_ARRAY_INDEX, Schema.INT32_SCHEMA)
                .field(FLOOR_TIME, Schema.INT64_SCHEMA))
        .build();
  }

  private static SchemaBuilder identity(SchemaBuilder builder) {
    return builder
        .field(CLUSTER_ID, Schema.STRING_SCHEMA)
        .field(PIPELINE, Schema.STRING_SCHEMA)
        .field(GENERATION, Schema.INT32_SCHEMA)
        .field(PARTITION, Schema.INT32_SCHEMA)
        .field(PARTITION_COUNT, Schema.INT32_SCHEMA)
        .field(INCLUDE_METADATA, Schema.BOOLEAN_SCHEMA)
        .field(FULL_TXN_RECORD, Schema.BOOLEAN_SCHEMA);
  }
}
