package dev.tula.connect.sink.engine;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tula.connect.model.Chain;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import java.math.BigInteger;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Function;

/** Between {@link TableState} and its flat keys; see {@code docs/formats.md}. */
final class TableStateCodec {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final String FORMAT = TableState.SUMMARY_MARK;
  private static final String PIPELINE = "tula.pipeline";
  private static final String GENERATION = "tula.generation";
  private static final String PARTITION = "tula.partition";
  private static final String PARTITION_COUNT = "tula.partition-count";
  private static final String CLUSTER_ID = "tula.cluster-id";
  private static final String WRITER_EPOCH = "tula.writer-epoch";
  private static final String WRITER_CLAIM = "tula.writer-claim";
  private static final String WRITER_ID = "tula.writer-id";
  private static final String COMMIT = "tula.commit";
  private static final String RANGE_FROM = "tula.range.from";
  private static final String RANGE_TO = "tula.range.to";
  private static final String RANGE_DIGEST = "tula.range.digest";
  private static final String RANGE_ROWS = "tula.range.rows";
  private static final String RANGE_AMOUNT_SUM = "tula.range.amount-sum";
  private static final String TOTAL_ROWS = "tula.total.rows";
  private static final String TOTAL_AMOUNT_SUM = "tula.total.amount-sum";
  private static final String CHAIN = "tula.chain";
  private static final String CLOSED_THROUGH = "tula.closed-through";
  private static final String TABLES = "tula.tables";
  private static final String ROWS_DECODED = "tula.rows-decoded";
  private static final String START_FROM = "tula.start.from";
  private static final String START_FLOOR_TIME = "tula.start.floor-time";
  private static final String KAFKA_TOPIC = "tula.kafka.topic";
  private static final String KAFKA_PARTITION = "tula.kafka.partition";
  private static final String KAFKA_OFFSET = "tula.kafka.offset";

  private final Map<String, String> properties;

  private TableStateCodec(Map<String, String> properties) {
    this.properties = properties;
  }

  static String toJson(TableState state) {
    try {
      return JSON.writeValueAsString(toProperties(state));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a map of strings is always JSON", e);
    }
  }

  static TableState ofJson(String json) {
    Map<String, String> properties = new TreeMap<>();
    object(json, TableState.PROPERTY)
        .properties()
        .forEach(entry -> properties.put(entry.getKey(), text(entry.getKey(), entry.getValue())));
    return ofProperties(properties);
  }

  private static String text(String key, JsonNode value) {
    if (!value.isTextual()) {
      throw new MalformedStateException(key + "=" + value + " is not a string");
    }
    return value.textValue();
  }

  static Map<String, String> toProperties(TableState state) {
    Map<String, String> properties = new TreeMap<>();
    properties.put(FORMAT, Integer.toString(state.format()));
    properties.put(PIPELINE, state.identity().pipeline());
    properties.put(GENERATION, Integer.toString(state.identity().generation()));
    properties.put(PARTITION, Integer.toString(state.identity().partition()));
    properties.put(PARTITION_COUNT, Integer.toString(state.identity().partitionCount()));
    properties.put(CLUSTER_ID, state.identity().clusterId());
    properties.put(WRITER_EPOCH, Long.toString(state.claim().epoch()));
    properties.put(WRITER_CLAIM, Long.toString(state.claim().number()));
    properties.put(WRITER_ID, state.claim().writerId());
    properties.put(COMMIT, state.commit().word());
    state.range().ifPresent(range -> putRange(properties, range));
    properties.put(TOTAL_ROWS, Long.toString(state.totalRows()));
    state.totalAmountSum().ifPresent(sum -> properties.put(TOTAL_AMOUNT_SUM, sum.toString()));
    properties.put(CHAIN, state.chain().toString());
    state
        .closedThroughMicros()
        .ifPresent(time -> properties.put(CLOSED_THROUGH, Long.toString(time)));
    state.watermark().ifPresent(watermark -> putWatermark(properties, watermark));
    return properties;
  }

  private static void putRange(Map<String, String> properties, RangeState range) {
    properties.put(RANGE_FROM, range.range().from().toString());
    properties.put(RANGE_TO, range.range().to().toString());
    range.digest().ifPresent(digest -> properties.put(RANGE_DIGEST, digest));
    properties.put(RANGE_ROWS, Long.toString(range.rows()));
    range.amountSum().ifPresent(sum -> properties.put(RANGE_AMOUNT_SUM, sum.toString()));
  }

  private static void putWatermark(Map<String, String> properties, WatermarkState watermark) {
    ObjectNode tables = JSON.createObjectNode();
    watermark
        .tables()
        .forEach(
            (name, table) -> {
              ObjectNode node = tables.putObject(name);
              node.put("uuid", table.uuid());
              table.to().ifPresent(to -> node.put("to", to.toString()));
              node.put("chain", table.chain().toString());
              table
                  .snapshotId()
                  .ifPresent(snapshot -> node.put("snapshot", Long.toString(snapshot)));
              node.put("total_rows", Long.toString(table.totalRows()));
            });
    properties.put(TABLES, tables.toString());
    properties.put(ROWS_DECODED, Long.toString(watermark.rowsDecoded()));
    watermark.startFrom().ifPresent(from -> properties.put(START_FROM, from.toString()));
    watermark
        .startFloorTimeMicros()
        .ifPresent(time -> properties.put(START_FLOOR_TIME, Long.toString(time)));
    watermark
        .kafka()
        .ifPresent(
            kafka -> {
              properties.put(KAFKA_TOPIC, kafka.topic());
              properties.put(KAFKA_PARTITION, Integer.toString(kafka.partition()));
              properties.put(KAFKA_OFFSET, Long.toString(kafka.offset()));
            });
  }

  static TableState ofProperties(Map<String, String> properties) {
    return new TableStateCodec(properties).state();
  }

  private TableState state() {
    int format = integer(FORMAT);
    if (format != PipelineIdentity.FORMAT) {
      throw new MalformedStateException(
          FORMAT + "=" + format + " is not known; this version reads " + PipelineIdentity.FORMAT);
    }
    return new TableState(
        format,
        new TableState.Identity(
            text(PIPELINE),
            text(CLUSTER_ID),
            integer(GENERATION),
            integer(PARTITION),
            integer(PARTITION_COUNT)),
        new WriterClaim(number(WRITER_EPOCH), number(WRITER_CLAIM), text(WRITER_ID)),
        CommitKind.ofWord(text(COMMIT)),
        range(),
        number(TOTAL_ROWS),
        optional(TOTAL_AMOUNT_SUM, BigInteger::new),
        parse(CHAIN, Chain::parse),
        optionalNumber(CLOSED_THROUGH),
        watermark());
  }

  private Optional<RangeState> range() {
    if (!properties.containsKey(RANGE_TO)) {
      return Optional.empty();
    }
    return Optional.of(
        new RangeState(
            parse(
                RANGE_TO, to -> new Range(parse(RANGE_FROM, Position::parse), Position.parse(to))),
            optional(RANGE_DIGEST, digest -> digest),
            number(RANGE_ROWS),
            optional(RANGE_AMOUNT_SUM, BigInteger::new)));
  }

  private Optional<WatermarkState> watermark() {
    if (!properties.containsKey(TABLES)) {
      return Optional.empty();
    }
    Map<String, TableAtWatermark> tables = new TreeMap<>();
    object(text(TABLES), TABLES)
        .properties()
        .forEach(entry -> tables.put(entry.getKey(), table(entry.getValue())));
    Optional<KafkaPosition> kafka =
        optional(KAFKA_TOPIC, topic -> topic)
            .map(topic -> new KafkaPosition(topic, integer(KAFKA_PARTITION), number(KAFKA_OFFSET)));
    return Optional.of(
        new WatermarkState(
            tables,
            number(ROWS_DECODED),
            optional(START_FROM, Position::parse),
            optionalNumber(START_FLOOR_TIME),
            kafka));
  }

  private static TableAtWatermark table(JsonNode node) {
    try {
      return new TableAtWatermark(
          node.required("uuid").textValue(),
          Optional.ofNullable(node.path("to").textValue()).map(Position::parse),
          Chain.parse(node.required("chain").textValue()),
          node.has("snapshot")
              ? OptionalLong.of(Long.parseLong(node.get("snapshot").textValue()))
              : OptionalLong.empty(),
          Long.parseLong(node.required("total_rows").textValue()));
    } catch (RuntimeException e) {
      throw new MalformedStateException(TABLES + " is malformed at " + node, e);
    }
  }

  private static JsonNode object(String json, String name) {
    try {
      JsonNode node = JSON.readTree(json);
      if (node == null || !node.isObject()) {
        throw new MalformedStateException(name + " is not a JSON object");
      }
      return node;
    } catch (JsonProcessingException e) {
      throw new MalformedStateException(name + " is not JSON", e);
    }
  }

  private String text(String key) {
    String value = properties.get(key);
    if (value == null) {
      throw new MalformedStateException("the state lacks " + key);
    }
    return value;
  }

  private int integer(String key) {
    return parse(key, Integer::parseInt);
  }

  private long number(String key) {
    return parse(key, Long::parseLong);
  }

  private OptionalLong optionalNumber(String key) {
    return properties.containsKey(key) ? OptionalLong.of(number(key)) : OptionalLong.empty();
  }

  private <T> Optional<T> optional(String key, Function<String, T> parser) {
    return properties.containsKey(key) ? Optional.of(parse(key, parser)) : Optional.empty();
  }

  private <T> T parse(String key, Function<String, T> parser) {
    String value = text(key);
    try {
      return parser.apply(value);
    } catch (IllegalArgumentException e) {
      throw new MalformedStateException(key + "=" + value + " is malformed", e);
    }
  }
}
