package dev.tula.connect.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.kafka.connect.data.Decimal;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.json.JsonConverter;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever road an item takes, its bytes stay the ledger's (I8), or it is refused (I7). */
class ConnectRecordsTest {
  private static final String TOPIC = "ledger";
  private static final StreamIdentity IDENTITY =
      new StreamIdentity("c1", "ledger", 1, 0, 1, true, false);

  @Provide
  Arbitrary<StreamItem> items() {
    return LedgerArbitraries.items();
  }

  @Property
  @Label("A plain Struct yields the same canonical bytes (I8)")
  void a_struct_made_field_by_field_is_the_same_item_with_the_same_bytes(
      @ForAll("items") StreamItem item) {
    assertSame(ConnectRecords.fromConnect(null, plainCopy(ConnectRecords.toConnect(item))), item);
  }

  @Property
  void the_item_itself_travels_in_its_struct(@ForAll("items") StreamItem item) {
    SchemaAndValue value = ConnectRecords.toConnect(item);
    assertThat(value.schema()).isSameAs(ConnectSchemas.of(item.kind()));
    assertThat(ConnectRecords.fromConnect(value.schema(), value.value())).isSameAs(item);
  }

  @Property(tries = 500)
  @Label("JSON with schemas yields the same canonical bytes (I8)")
  void the_json_converter_with_schemas_keeps_every_byte(@ForAll("items") StreamItem item) {
    try (JsonConverter json = json(true)) {
      SchemaAndValue out = ConnectRecords.toConnect(item);
      SchemaAndValue in =
          json.toConnectData(TOPIC, json.fromConnectData(TOPIC, out.schema(), out.value()));
      assertThat(in.value()).isNotInstanceOf(LedgerStruct.class);
      assertSame(ConnectRecords.fromConnect(in.schema(), in.value()), item);
    }
  }

  private static void assertSame(StreamItem actual, StreamItem expected) {
    assertThat(actual).isEqualTo(expected);
    assertThat(LedgerConverter.encode(actual)).isEqualTo(LedgerConverter.encode(expected));
  }

  private static JsonConverter json(boolean schemas) {
    JsonConverter json = new JsonConverter();
    json.configure(Map.of("schemas.enable", schemas), false);
    return json;
  }

  private static Struct plainCopy(SchemaAndValue value) {
    return copyInto(value.schema(), (Struct) value.value());
  }

  private static Struct copyInto(Schema schema, Struct from) {
    Struct copy = new Struct(schema);
    for (Field field : schema.fields()) {
      if (from.schema().field(field.name()) != null) {
        copy.put(field, from.get(field.name()));
      }
    }
    return copy;
  }

  @Test
  @DisplayName("JSON without schemas is refused, with the setting that cures it (I7)")
  void values_without_a_schema_are_refused_with_the_setting_that_cures_it() {
    try (JsonConverter json = json(false)) {
      SchemaAndValue out = ConnectRecords.toConnect(rowItem());
      SchemaAndValue in =
          json.toConnectData(TOPIC, json.fromConnectData(TOPIC, out.schema(), out.value()));
      assertRefused(in.schema(), in.value(), "value.converter.schemas.enable=true");
      assertRefused(
          in.schema(), in.value(), "value.converter=dev.tula.connect.model.LedgerConverter");
    }
    assertRefused(Schema.BYTES_SCHEMA, new byte[] {1, 2}, "value.converter=");
    assertRefused(Schema.STRING_SCHEMA, "{}", "value.converter=");
  }

  @Test
  void a_record_without_a_value_is_refused() {
    assertRefused(null, null, "no value");
  }

  @Test
  void a_struct_of_something_else_is_refused() {
    Schema other =
        SchemaBuilder.struct().name("com.example.Order").field("id", Schema.INT64_SCHEMA).build();
    assertRefused(other, new Struct(other).put("id", 1L), "com.example.Order");
    Schema wide = SchemaBuilder.struct().field("record_kind", Schema.INT32_SCHEMA).build();
    assertRefused(wide, new Struct(wide).put("record_kind", 1), "record_kind");
    Schema kinds = SchemaBuilder.struct().field("record_kind", Schema.INT8_SCHEMA).build();
    assertRefused(kinds, new Struct(kinds).put("record_kind", (byte) 9), "record kind 9");
    assertRefused(kinds, new Struct(kinds).put("record_kind", (byte) 1), "missing");
  }

  @Test
  void an_unknown_field_is_refused_by_name() {
    Schema schema =
        withField(ConnectSchemas.of(RecordKind.TRANSACTION), "note", Schema.OPTIONAL_STRING_SCHEMA);
    assertRefused(schema, copyInto(schema, rowStruct()), "unknown note");
    Schema coverage =
        withField(ConnectSchemas.of(RecordKind.COVERAGE), "note", Schema.OPTIONAL_STRING_SCHEMA);
    assertRefused(coverage, copyInto(coverage, coverageStruct()), "unknown note");
  }

  @Test
  void a_missing_field_is_refused_by_name_even_an_optional_one() {
    for (Struct struct : List.of(rowStruct(), coverageStruct(), startStruct())) {
      for (Field field : struct.schema().fields()) {
        Schema schema = withoutField(struct.schema(), field.name());
        assertRefused(schema, copyInto(schema, struct), field.name());
      }
    }
  }

  @Test
  void a_field_renamed_is_refused_with_both_names() {
    Schema schema =
        withField(
            withoutField(ConnectSchemas.of(RecordKind.TRANSACTION), "mode"),
            "modus",
            Schema.STRING_SCHEMA);
    Struct struct = copyInto(schema, rowStruct()).put("modus", "default");
    assertRefused(schema, struct, "missing mode");
    assertRefused(schema, struct, "unknown modus");
  }

  @Test
  void a_field_of_another_type_is_refused_by_name() {
    for (Struct struct : List.of(rowStruct(), coverageStruct(), startStruct())) {
      for (Field field : struct.schema().fields()) {
        Schema schema = retyped(struct.schema(), field.name(), Schema.OPTIONAL_FLOAT64_SCHEMA);
        Struct changed = new Struct(schema);
        for (Field other : schema.fields()) {
          changed.put(
              other, other.name().equals(field.name()) ? (Object) 1.5 : struct.get(other.name()));
        }
        assertRefused(schema, changed, field.name());
      }
    }
  }

  @Test
  void a_required_field_left_null_is_refused_by_name() {
    for (Field field : rowStruct().schema().fields()) {
      if (!field.schema().isOptional()) {
        Schema schema = retyped(rowStruct().schema(), field.name(), optional(field.schema()));
        Struct struct = copyInto(schema, rowStruct());
        struct.put(field.name(), null);
        assertRefused(schema, struct, field.name());
      }
    }
  }

  @Test
  @DisplayName("A default that a transform declared does not stand in for an absent value (I7)")
  void a_schema_default_does_not_stand_in_for_an_absent_value() {
    Schema withDefault = SchemaBuilder.int32().optional().defaultValue(42).build();
    Schema schema = retyped(rowStruct().schema(), "reason_code", withDefault);
    Struct struct = new Struct(schema);
    for (Field field : schema.fields()) {
      if (!field.name().equals("reason_code")) {
        struct.put(field, rowStruct().get(field.name()));
      }
    }
    assertSame(ConnectRecords.fromConnect(schema, struct), rowItem());
  }

  @Test
  void amounts_that_16_bytes_do_not_hold_are_refused() {
    BigInteger max = BigInteger.ONE.shiftLeft(127).subtract(BigInteger.ONE);
    for (BigInteger amount : List.of(max, max.not())) {
      StreamItem item =
          ConnectRecords.fromConnect(null, rowStruct().put("amount", new BigDecimal(amount)));
      RowReader reader = new RowReader().wrap(((StreamItem.Row) item).row());
      assertThat(reader.amount(RowSchema.AMOUNT_FIELD)).isEqualTo(amount);
    }
    for (BigInteger amount : List.of(max.add(BigInteger.ONE), max.not().subtract(BigInteger.ONE))) {
      refusedWith("amount", new BigDecimal(amount), "128 bits");
    }
  }

  @Test
  void amounts_with_a_fraction_or_another_scale_are_refused() {
    for (String amount : List.of("1.5", "1.0", "1E+3")) {
      BigDecimal value = new BigDecimal(amount);
      Schema schema = retyped(rowStruct().schema(), "amount", Decimal.schema(value.scale()));
      Struct struct = new Struct(schema);
      for (Field field : schema.fields()) {
        struct.put(field, field.name().equals("amount") ? value : rowStruct().get(field.name()));
      }
      assertRefused(schema, struct, "amount");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "01",
        "0000000000000000000000000000000G",
        "0000000000000000000000000000000A",
        "x"
      })
  void ids_that_are_not_hex_of_their_width_are_refused_by_name(String hex) {
    refusedWith("transfer_id", hex, "transfer_id");
    refusedWith("settlement_id", hex, "settlement_id");
    refusedWith("digest_hex", hex, "digest_hex");
  }

  @Test
  void text_that_utf8_can_not_express_is_refused_by_name() {
    refusedWith("currency", "E\uD800", "currency");
  }

  @Test
  void impossible_positions_are_refused() {
    refusedWith("global_batch_seq", 0L, "position");
    refusedWith("array_index", Position.BATCH_END_INDEX, "position");
    refusedWith("array_index", -1, "position");
    refusedWith("pred_global_batch_seq", -1L, "position");
    refusedWith("pred_global_batch_seq", 8L, "predecessor");
    Struct backwards = coverageStruct().put("to_global_batch_seq", 1L);
    assertRefused(backwards.schema(), backwards, "backwards");
    Struct origin = startStruct().put("from_global_batch_seq", 0L).put("from_array_index", 5);
    assertRefused(origin.schema(), origin, "position 0:5");
  }

  @Test
  void identities_that_contradict_themselves_are_refused() {
    Struct partition = coverageStruct().put("partition", 1);
    assertRefused(partition.schema(), partition, "partition 1 of 1");
    Struct generation = startStruct().put("generation", 0);
    assertRefused(generation.schema(), generation, "generation 0");
    Struct mode = startStruct().put("include_metadata", false).put("full_txn_record", true);
    assertRefused(mode.schema(), mode, "metadata");
  }

  @Test
  void a_list_may_hold_only_strings() {
    StreamItem item = new StreamItem.Row(Position.ORIGIN, ledgerRow());
    Schema ints = SchemaBuilder.array(Schema.INT32_SCHEMA).optional().build();
    Struct from = plainCopy(ConnectRecords.toConnect(item));
    Schema schema = retyped(from.schema(), "currencies", ints);
    Struct struct = new Struct(schema);
    for (Field field : schema.fields()) {
      struct.put(field, field.name().equals("currencies") ? List.of(1) : from.get(field.name()));
    }
    assertRefused(schema, struct, "currencies");
  }

  private static void refusedWith(String field, Object value, String message) {
    Struct struct = rowStruct().put(field, value);
    assertRefused(struct.schema(), struct, message);
  }

  private static void assertRefused(Schema schema, Object value, String message) {
    assertThatExceptionOfType(MalformedRecordException.class)
        .as("%s", value)
        .isThrownBy(() -> ConnectRecords.fromConnect(schema, value))
        .withMessageContaining(message);
  }

  private static Struct rowStruct() {
    return plainCopy(ConnectRecords.toConnect(rowItem()));
  }

  private static Struct coverageStruct() {
    return plainCopy(
        ConnectRecords.toConnect(
            new StreamItem.Coverage(Position.batchEnd(3), Position.batchEnd(7), 11, IDENTITY)));
  }

  private static Struct startStruct() {
    return plainCopy(
        ConnectRecords.toConnect(new StreamItem.Start(Position.batchEnd(3), 11, IDENTITY)));
  }

  private static StreamItem rowItem() {
    String id = "0123456789abcdeffedcba9876543210";
    RowWriter writer =
        new RowWriter().begin(RecordKind.TRANSACTION).putLong(7).putLong(2).putInt(3);
    writer
        .putTimestamp(-5)
        .putTimestamp(6)
        .putHex(id)
        .putHex(id)
        .putInt(1)
        .putInt(2)
        .putString("EUR");
    writer
        .putHex(id)
        .putHex(id)
        .putAmount(-12)
        .putString("single_phase")
        .putString("default")
        .putString("posted");
    return new StreamItem.Row(Position.batchEnd(3), writer.absentToEnd().toRow());
  }

  private static CanonicalRow ledgerRow() {
    RowWriter writer =
        new RowWriter().begin(RecordKind.LEDGER_CHANGE).putLong(7).putLong(2).putInt(3);
    writer.putTimestamp(1).putTimestamp(2).putString("1").putString("created").putString("stream");
    return writer.absent().absent().putStringList(List.of("EUR")).toRow();
  }

  private static Schema withField(Schema from, String name, Schema schema) {
    SchemaBuilder builder = SchemaBuilder.struct().name(from.name()).version(from.version());
    from.fields().forEach(field -> builder.field(field.name(), field.schema()));
    return builder.field(name, schema).build();
  }

  private static Schema withoutField(Schema from, String name) {
    SchemaBuilder builder = SchemaBuilder.struct().name(from.name()).version(from.version());
    from.fields().stream()
        .filter(field -> !field.name().equals(name))
        .forEach(field -> builder.field(field.name(), field.schema()));
    return builder.build();
  }

  private static Schema retyped(Schema from, String name, Schema schema) {
    SchemaBuilder builder = SchemaBuilder.struct().name(from.name()).version(from.version());
    from.fields()
        .forEach(
            field ->
                builder.field(field.name(), field.name().equals(name) ? schema : field.schema()));
    return builder.build();
  }

  private static Schema optional(Schema schema) {
    return Decimal.LOGICAL_NAME.equals(schema.name())
        ? Decimal.builder(0).optional().build()
        : new SchemaBuilder(schema.type()).optional().build();
  }

  @Test
  @DisplayName("A later schema version is refused, whatever its fields are called (I7)")
  void a_later_schema_version_is_refused() {
    Schema known = ConnectSchemas.of(RecordKind.COVERAGE);
    SchemaBuilder later = SchemaBuilder.struct().name(known.name()).version(2);
    known.fields().forEach(field -> later.field(field.name(), field.schema()));
    StreamItem item = new StreamItem.Coverage(Position.ORIGIN, Position.batchEnd(3), 7, IDENTITY);
    Struct struct = copyInto(later.build(), (Struct) ConnectRecords.toConnect(item).value());

    assertThatExceptionOfType(MalformedRecordException.class)
        .isThrownBy(() -> ConnectRecords.fromConnect(struct.schema(), struct))
        .withMessageContaining("schema version 2");
  }
}
