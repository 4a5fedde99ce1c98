package dev.tula.connect.model;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Holds the canonical bytes, range digest and chain to fixed vectors, and to a second
 * implementation (I8).
 */
@DisplayName("Golden rows, format 1 (I8)")
class GoldenRowsTest {
  private static final JsonNode GOLDEN = GoldenFile.read("rows-v1.json");
  private static final Map<String, JsonNode> ROWS =
      rows()
          .map(Named::getPayload)
          .collect(Collectors.toMap(row -> row.get("name").textValue(), Function.identity()));

  static Stream<Named<JsonNode>> rows() {
    return GoldenFile.elements(GOLDEN.get("rows")).stream()
        .map(row -> Named.of(row.get("name").textValue(), row));
  }

  static Stream<Named<JsonNode>> tables() {
    return GoldenFile.elements(GOLDEN.get("chains")).stream()
        .map(row -> Named.of(row.get("table").textValue(), row));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void writer_makes_the_golden_bytes(JsonNode row) {
    assertThat(HexFormat.of().formatHex(testRow(row).write().toByteArray())).isEqualTo(bytes(row));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void reader_finds_the_golden_values(JsonNode row) {
    assertThat(TestRow.read(canonical(row))).isEqualTo(testRow(row));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void independent_encoder_makes_the_golden_bytes(JsonNode row) throws IOException {
    assertThat(IndependentEncoder.hex(IndependentEncoder.row(row))).isEqualTo(bytes(row));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void declared_fields_are_the_golden_ones(JsonNode row) {
    List<String> golden =
        GoldenFile.elements(row.get("fields")).stream()
            .map(field -> field.get("name").textValue() + " " + field.get("type").textValue())
            .toList();
    List<String> declared =
        RowSchema.of(kind(row)).fields().stream()
            .map(field -> field.name() + " " + field.type().name().toLowerCase(Locale.ROOT))
            .toList();
    assertThat(declared).isEqualTo(golden);
  }

  @ParameterizedTest
  @MethodSource("tables")
  void digests_and_chain_are_the_golden_ones(JsonNode table) {
    Chain chain = Chain.ZERO;
    for (JsonNode range : table.get("ranges")) {
      RangeDigest digest = begin(table, range);
      names(range).forEach(name -> digest.add(canonical(ROWS.get(name))));
      byte[] value = digest.finish();
      assertThat(HexFormat.of().formatHex(value)).isEqualTo(range.get("digest").textValue());
      assertThat(chain.next(HexFormat.of().formatHex(value))).isEqualTo(chain.next(value));
      chain = chain.next(value);
      assertThat(chain).hasToString(range.get("chain").textValue());
      assertThat(Chain.parse(chain.toString())).isEqualTo(chain).hasSameHashCodeAs(chain);
    }
  }

  @ParameterizedTest
  @MethodSource("tables")
  void rows_framed_one_after_another_have_the_same_digest(JsonNode table) {
    for (JsonNode range : table.get("ranges")) {
      ByteBuffer framed = ByteBuffer.allocate(64 * 1024);
      for (String name : names(range)) {
        byte[] row = canonical(ROWS.get(name)).toByteArray();
        framed.putInt(row.length).put(row);
      }
      byte[] value = begin(table, range).addFramed(framed.flip()).finish();
      assertThat(HexFormat.of().formatHex(value)).isEqualTo(range.get("digest").textValue());
    }
  }

  @ParameterizedTest
  @MethodSource("tables")
  void independent_encoder_makes_the_golden_digests_and_chain(JsonNode table) throws IOException {
    byte[] chain = new byte[32];
    for (JsonNode range : table.get("ranges")) {
      List<byte[]> rows = new ArrayList<>();
      for (String name : names(range)) {
        rows.add(IndependentEncoder.row(ROWS.get(name)));
      }
      byte[] digest = IndependentEncoder.rangeDigest(table, range, rows);
      assertThat(IndependentEncoder.hex(digest)).isEqualTo(range.get("digest").textValue());
      chain = IndependentEncoder.chain(chain, digest);
      assertThat(IndependentEncoder.hex(chain)).isEqualTo(range.get("chain").textValue());
    }
  }

  /**
   * The vectors must stay worth having: each optional field is there once and missing once, and so
   * on.
   */
  @Test
  void golden_rows_cover_every_kind_and_every_optional_field_both_ways() {
    TreeSet<String> seen = new TreeSet<>();
    TreeSet<String> wanted = new TreeSet<>();
    for (JsonNode row : ROWS.values()) {
      for (JsonNode field : row.get("fields")) {
        String presence = field.get("value").isNull() ? "absent" : "present";
        seen.add(kind(row) + "." + field.get("name").textValue() + " " + presence);
      }
    }
    for (RecordKind kind : RecordKind.values()) {
      if (kind.isRow()) {
        RowSchema.of(kind).fields().stream()
            .filter(field -> !field.required())
            .forEach(
                field -> {
                  wanted.add(kind + "." + field.name() + " absent");
                  wanted.add(kind + "." + field.name() + " present");
                });
      }
    }
    assertThat(seen).containsAll(wanted);
    assertThat(GOLDEN.toString())
        .contains("" + BigInteger.ONE.shiftLeft(127).negate(), "\"-1\"", "🏦", "[]");
  }

  private static RangeDigest begin(JsonNode table, JsonNode range) {
    return RangeDigest.begin(
        table.get("pipeline").textValue(),
        table.get("generation").intValue(),
        table.get("partition").intValue(),
        table.get("table").textValue(),
        new Range(
            Position.parse(range.get("from").textValue()),
            Position.parse(range.get("to").textValue())));
  }

  private static List<String> names(JsonNode range) {
    return GoldenFile.elements(range.get("rows")).stream().map(JsonNode::textValue).toList();
  }

  private static RecordKind kind(JsonNode row) {
    return RecordKind.ofCode(row.get("kind").intValue());
  }

  private static String bytes(JsonNode row) {
    return row.get("bytes").textValue();
  }

  private static CanonicalRow canonical(JsonNode row) {
    return CanonicalRow.of(HexFormat.of().parseHex(bytes(row)));
  }

  private static TestRow testRow(JsonNode row) {
    List<Object> values = new ArrayList<>();
    for (JsonNode field : row.get("fields")) {
      JsonNode value = field.get("value");
      values.add(value.isNull() ? null : value(field.get("type").textValue(), value));
    }
    return new TestRow(kind(row), values);
  }

  private static Object value(String type, JsonNode value) {
    return switch (type) {
      case "long", "timestamp" -> (Object) Long.valueOf(value.textValue());
      case "int" -> Integer.valueOf(value.textValue());
      case "amount" -> new BigInteger(value.textValue());
      case "string_list" -> GoldenFile.elements(value).stream().map(JsonNode::textValue).toList();
      default -> value.textValue();
    };
  }
}
