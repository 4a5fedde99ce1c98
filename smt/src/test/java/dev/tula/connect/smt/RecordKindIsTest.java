package dev.tula.connect.smt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.model.ConnectRecords;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.RecordKind;
import dev.tula.connect.model.RowWriter;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.model.StreamItem;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.ServiceLoader;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.json.JsonConverter;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.transforms.Filter;
import org.apache.kafka.connect.transforms.predicates.Predicate;
import org.junit.jupiter.api.Test;

class RecordKindIsTest {
  private static final String TOPIC = "tula.ledger";
  private static final StreamIdentity IDENTITY =
      new StreamIdentity("cluster", "ledger", 1, 0, 1, true, false);
  private static final StreamItem COVERAGE =
      new StreamItem.Coverage(Position.ORIGIN, Position.batchEnd(7), 1_000, IDENTITY);
  private static final StreamItem START = new StreamItem.Start(Position.ORIGIN, 1_000, IDENTITY);

  @Test
  void outside_of_its_jar_its_version_says_so() {
    assertThat(new RecordKindIs<SinkRecord>().version()).isEqualTo("development");
  }

  @Test
  void answers_yes_for_the_named_kinds_and_no_for_every_other() {
    Predicate<SinkRecord> predicate = kinds("coverage,start");

    assertThat(predicate.test(record(COVERAGE))).isTrue();
    assertThat(predicate.test(record(START))).isTrue();
    for (RecordKind kind : RecordKind.values()) {
      boolean named = kind == RecordKind.COVERAGE || kind == RecordKind.START;
      assertThat(predicate.test(structOfKind(kind.code()))).as("%s", kind).isEqualTo(named);
    }
  }

  @Test
  void knows_a_row_that_still_carries_its_canonical_bytes() {
    StreamItem row = currencyChange();

    assertThat(kinds("currency_change").test(record(row))).isTrue();
    assertThat(kinds("transaction").test(record(row))).isFalse();
  }

  @Test
  void goes_by_the_field_once_a_transform_has_changed_the_record() {
    SchemaAndValue value = ConnectRecords.toConnect(COVERAGE);
    ((Struct) value.value()).put("record_kind", RecordKind.START.code());

    assertThat(kinds("start").test(record(value))).isTrue();
    assertThat(kinds("coverage").test(record(value))).isFalse();
  }

  @Test
  void reads_what_the_json_converter_makes_with_and_without_schemas() {
    for (boolean schemas : new boolean[] {true, false}) {
      SchemaAndValue value = throughJson(COVERAGE, schemas);

      assertThat(kinds("coverage").test(record(value))).as("schemas %s", schemas).isTrue();
      assertThat(kinds("start").test(record(value))).as("schemas %s", schemas).isFalse();
    }
  }

  @Test
  void a_record_that_is_no_ledger_record_is_of_no_kind() {
    String all =
        "transaction,account_change,ledger_change,currency_change,source_change,cluster_change,"
            + "coverage,start";
    Schema named = SchemaBuilder.struct().field("record_kind", Schema.STRING_SCHEMA).build();
    Schema without = SchemaBuilder.struct().field("other", Schema.INT8_SCHEMA).build();

    assertThat(kinds(all).test(record(new SchemaAndValue(null, null)))).isFalse();
    assertThat(kinds(all).test(record(new SchemaAndValue(null, Map.of("record_kind", "7")))))
        .isFalse();
    assertThat(kinds(all).test(record(new SchemaAndValue(null, Map.of("record_kind", 7.5)))))
        .isFalse();
    assertThat(
            kinds(all)
                .test(record(new SchemaAndValue(named, new Struct(named).put("record_kind", "7")))))
        .isFalse();
    assertThat(
            kinds(all)
                .test(
                    record(
                        new SchemaAndValue(without, new Struct(without).put("other", (byte) 7)))))
        .isFalse();
    assertThat(kinds(all).test(structOfKind((byte) 0))).isFalse();
    assertThat(kinds(all).test(structOfKind((byte) 9))).isFalse();
  }

  @Test
  void refuses_an_unknown_kind_an_empty_list_and_no_list() {
    assertThatThrownBy(() -> kinds("coverage,starts"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("starts")
        .hasMessageContaining("start");
    assertThatThrownBy(() -> kinds("")).isInstanceOf(ConfigException.class);
    assertThatThrownBy(() -> new RecordKindIs<SinkRecord>().configure(Map.of()))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("kinds");
  }

  @Test
  void is_found_by_service_loading() {
    assertThat(ServiceLoader.load(Predicate.class).stream().map(ServiceLoader.Provider::type))
        .anyMatch(RecordKindIs.class::equals);
  }

  @Test
  void the_example_that_is_shipped_passes_on_rows_alone() throws Exception {
    Properties example = new Properties();
    try (Reader file =
        Files.newBufferedReader(Path.of("src/main/plugin/etc/ledger-rows-only.properties"))) {
      example.load(file);
    }

    assertThat(example.getProperty("predicates.isNoRow.type"))
        .isEqualTo(RecordKindIs.class.getName());
    assertThat(example.getProperty("transforms.rowsOnly.type")).isEqualTo(Filter.class.getName());
    Predicate<SinkRecord> dropped = kinds(example.getProperty("predicates.isNoRow.kinds"));
    for (RecordKind kind : RecordKind.values()) {
      assertThat(dropped.test(structOfKind(kind.code()))).as("%s", kind).isEqualTo(!kind.isRow());
    }
  }

  private static StreamItem currencyChange() {
    RowWriter row =
        new RowWriter()
            .begin(RecordKind.CURRENCY_CHANGE)
            .putLong(8)
            .putLong(8)
            .putInt(0)
            .putTimestamp(1_000)
            .putTimestamp(1_000)
            .putString("EUR")
            .putString("created")
            .putString("stream")
            .absent()
            .absent();
    return new StreamItem.Row(Position.batchEnd(7), row.toRow());
  }

  private static Predicate<SinkRecord> kinds(String kinds) {
    Predicate<SinkRecord> predicate = new RecordKindIs<>();
    predicate.configure(Map.of(RecordKindIs.KINDS, kinds));
    return predicate;
  }

  private static SinkRecord record(StreamItem item) {
    return record(ConnectRecords.toConnect(item));
  }

  private static SinkRecord record(SchemaAndValue value) {
    return new SinkRecord(TOPIC, 0, null, null, value.schema(), value.value(), 0);
  }

  private static SinkRecord structOfKind(byte kind) {
    Schema schema = SchemaBuilder.struct().field("record_kind", Schema.INT8_SCHEMA).build();
    return record(new SchemaAndValue(schema, new Struct(schema).put("record_kind", kind)));
  }

  private static SchemaAndValue throughJson(StreamItem item, boolean schemas) {
    try (JsonConverter converter = new JsonConverter()) {
      converter.configure(Map.of("schemas.enable", schemas), false);
      SchemaAndValue value = ConnectRecords.toConnect(item);
      byte[] json = converter.fromConnectData(TOPIC, value.schema(), value.value());
      assertThat(new String(json, StandardCharsets.UTF_8)).contains("record_kind");
      return converter.toConnectData(TOPIC, json);
    }
  }
}
