package dev.tula.connect.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.kafka.connect.data.ConnectSchema;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ConnectSchemasTest {
  @ParameterizedTest
  @EnumSource
  void each_kind_has_a_named_and_versioned_schema(RecordKind kind) {
    Schema schema = ConnectSchemas.of(kind);
    assertThat(schema.type()).isEqualTo(Schema.Type.STRUCT);
    assertThat(schema.version()).isEqualTo(1);
    assertThat(schema.isOptional()).isFalse();
    assertThat(schema.fields().get(0).name()).isEqualTo("record_kind");
    assertThat(schema.fields().get(0).schema()).isEqualTo(Schema.INT8_SCHEMA);
  }

  @Test
  void schema_names_are_fixed() {
    List<String> names = new ArrayList<>();
    for (RecordKind kind : RecordKind.values()) {
      names.add(ConnectSchemas.of(kind).name());
    }
    assertThat(names)
        .containsExactly(
            "dev.tula.connect.Transaction",
            "dev.tula.connect.AccountChange",
            "dev.tula.connect.LedgerChange",
            "dev.tula.connect.CurrencyChange",
            "dev.tula.connect.SourceChange",
            "dev.tula.connect.ClusterChange",
            "dev.tula.connect.Coverage",
            "dev.tula.connect.Start");
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"COVERAGE", "START"})
  void rows_are_their_predecessor_and_then_the_columns_by_name(RecordKind kind) {
    List<String> expected =
        new ArrayList<>(
            List.of("record_kind int8", "pred_global_batch_seq int64", "pred_array_index int32"));
    for (RowField field : RowSchema.of(kind).fields()) {
      expected.add(
          field.name() + " " + connectType(field.type()) + (field.required() ? "" : " optional"));
    }
    assertThat(describe(ConnectSchemas.of(kind))).isEqualTo(expected);
  }

  private static String connectType(FieldType type) {
    return switch (type) {
      case LONG, TIMESTAMP -> "int64";
      case INT -> "int32";
      case STRING, ID128, HASH256 -> "string";
      case AMOUNT -> "Decimal(0)";
      case STRING_LIST -> "array<string>";
    };
  }

  @Test
  void coverage_and_start_carry_the_identity() {
    List<String> identity =
        List.of(
            "cluster_id string",
            "pipeline string",
            "generation int32",
            "partition int32",
            "partition_count int32",
            "include_metadata boolean",
            "full_txn_record boolean");
    List<String> coverage =
        new ArrayList<>(
            List.of(
                "record_kind int8",
                "from_global_batch_seq int64",
                "from_array_index int32",
                "to_global_batch_seq int64",
                "to_array_index int32",
                "closed_through int64"));
    coverage.addAll(identity);
    assertThat(describe(ConnectSchemas.of(RecordKind.COVERAGE))).isEqualTo(coverage);
    List<String> start =
        new ArrayList<>(
            List.of(
                "record_kind int8",
                "from_global_batch_seq int64",
                "from_array_index int32",
                "floor_time int64"));
    start.addAll(identity);
    assertThat(describe(ConnectSchemas.of(RecordKind.START))).isEqualTo(start);
  }

  private static List<String> describe(Schema schema) {
    return schema.fields().stream().map(ConnectSchemasTest::describe).toList();
  }

  private static String describe(Field field) {
    Schema schema = field.schema();
    String type = schema.type().name().toLowerCase(Locale.ROOT);
    if (Decimal.LOGICAL_NAME.equals(schema.name())) {
      type = "Decimal(" + schema.parameters().get(Decimal.SCALE_FIELD) + ")";
    } else if (schema.type() == Schema.Type.ARRAY) {
      type = "array<" + schema.valueSchema().type().name().toLowerCase(Locale.ROOT) + ">";
    }
    assertThat(((ConnectSchema) schema).defaultValue()).as("default of %s", field.name()).isNull();
    return field.name() + " " + type + (schema.isOptional() ? " optional" : "");
  }
}
