package dev.tula.connect.sink.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tula.connect.model.Chain;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** A state goes through summary and property unchanged, and a damaged one is refused (C14). */
class TableStateTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @Property(tries = 300)
  @Label("a state comes back from the property as it went")
  void a_state_comes_back_from_the_property(@ForAll("states") TableState state) {
    assertThat(TableState.ofJson(state.toJson())).isEqualTo(state);
  }

  @Property(tries = 300)
  @Label("a state comes back from a summary that also has other keys")
  void a_state_comes_back_from_a_summary(@ForAll("states") TableState state) {
    Map<String, String> summary = new TreeMap<>(state.toProperties());
    summary.put("added-records", "7");
    summary.put("total-records", "9");

    assertThat(TableState.ofProperties(summary)).isEqualTo(state);
  }

  @Property(tries = 200)
  @Label("two states are equal exactly if their documents are")
  void states_are_equal_exactly_if_their_documents_are(
      @ForAll("states") TableState a, @ForAll("states") TableState b) {
    assertThat(a.equals(b)).isEqualTo(a.toJson().equals(b.toJson()));
  }

  @Property(tries = 200)
  @Label("the document has its keys sorted, and strings alone as values")
  void the_document_is_sorted_strings(@ForAll("states") TableState state) throws Exception {
    JsonNode document = JSON.readTree(state.toJson());
    List<String> keys = new ArrayList<>();
    document.fieldNames().forEachRemaining(keys::add);

    assertThat(keys).isSorted().contains("tula.format", "tula.writer-claim", "tula.chain");
    document.forEach(value -> assertThat(value.isTextual()).isTrue());
  }

  @Property(tries = 300)
  @Label("a state that lacks a required key is refused by name")
  void a_state_without_a_key_is_refused(
      @ForAll("states") TableState state, @ForAll("requiredKeys") String key) {
    Map<String, String> properties = new TreeMap<>(state.toProperties());
    properties.remove(key);

    assertThatThrownBy(() -> TableState.ofProperties(properties))
        .isInstanceOf(MalformedStateException.class)
        .hasMessageContaining(key);
  }

  @Property(tries = 300)
  @Label("a state with a value that is none is refused by name")
  void a_state_with_a_malformed_value_is_refused(
      @ForAll("states") TableState state,
      @ForAll("checkedKeys") String key,
      @ForAll("nonsense") String value) {
    Map<String, String> properties = new TreeMap<>(state.toProperties());
    Assume.that(properties.containsKey(key));
    Assume.that(!(key.endsWith("amount-sum") && value.startsWith("999"))); // of any size
    properties.put(key, value);

    assertThatThrownBy(() -> TableState.ofProperties(properties))
        .isInstanceOf(MalformedStateException.class)
        .hasMessageContaining(key);
  }

  @Provide
  Arbitrary<String> requiredKeys() {
    return Arbitraries.of(
        "tula.format",
        "tula.pipeline",
        "tula.generation",
        "tula.partition",
        "tula.partition-count",
        "tula.cluster-id",
        "tula.writer-epoch",
        "tula.writer-claim",
        "tula.writer-id",
        "tula.commit",
        "tula.total.rows",
        "tula.chain");
  }

  @Provide
  Arbitrary<String> checkedKeys() {
    return Arbitraries.of(
        "tula.format",
        "tula.generation",
        "tula.partition",
        "tula.partition-count",
        "tula.writer-epoch",
        "tula.writer-claim",
        "tula.commit",
        "tula.range.from",
        "tula.range.to",
        "tula.range.rows",
        "tula.range.amount-sum",
        "tula.total.rows",
        "tula.total.amount-sum",
        "tula.chain",
        "tula.closed-through",
        "tula.tables",
        "tula.rows-decoded",
        "tula.start.from",
        "tula.start.floor-time",
        "tula.kafka.partition",
        "tula.kafka.offset");
  }

  @Provide
  Arbitrary<String> nonsense() {
    return Arbitraries.of(
        "",
        " ",
        "x",
        "1.5",
        "0x10",
        "12:",
        "99999999999999999999999",
        "null",
        "{",
        "[1]",
        "{\"a\":1}");
  }

  @Example
  @Label("a number that does not fit is not cut")
  void a_number_that_does_not_fit_is_not_cut() {
    Map<String, String> properties = new TreeMap<>(first().toProperties());
    properties.put("tula.partition", "4294967296");

    assertThatThrownBy(() -> TableState.ofProperties(properties))
        .isInstanceOf(MalformedStateException.class);
  }

  @Example
  @Label("a range that runs backwards is refused")
  void a_range_that_runs_backwards_is_refused() {
    Map<String, String> properties = new TreeMap<>(first().toProperties());
    properties.put("tula.range.from", "9:1");
    properties.put("tula.range.to", "8:1");
    properties.put("tula.range.rows", "0");

    assertThatThrownBy(() -> TableState.ofProperties(properties))
        .isInstanceOf(MalformedStateException.class)
        .hasMessageContaining("tula.range.to");
  }

  @Example
  @Label("what is no JSON object of strings is refused")
  void what_is_no_object_of_strings_is_refused() {
    for (String json :
        List.of("", "null", "[]", "7", "{", "{\"tula.format\":1}", "{\"tula.format\":null}")) {
      assertThatThrownBy(() -> TableState.ofJson(json))
          .as(json)
          .isInstanceOf(MalformedStateException.class);
    }
  }

  @Example
  @Label("another format is refused, not guessed at")
  void another_format_is_refused() {
    Map<String, String> properties = new TreeMap<>(first().toProperties());
    properties.put("tula.format", "2");

    assertThatThrownBy(() -> TableState.ofProperties(properties))
        .isInstanceOf(MalformedStateException.class)
        .hasMessageContaining("tula.format=2");
  }

  private static TableState first() {
    return TableState.first(Bench.STREAM, new WriterClaim(1, 1, "a"), true, Optional.empty());
  }

  @Example
  @Label("the document of a state is this, word for word")
  void the_document_of_a_state_is_this() {
    TableState state =
        first()
            .afterRange(
                new RangeState(
                    new Range(Position.ORIGIN, Position.batchEnd(3)),
                    Optional.of("ab".repeat(32)),
                    2,
                    Optional.of(BigInteger.valueOf(-5))),
                77);

    assertThat(state.toJson())
        .isEqualTo(
            "{\"tula.chain\":\""
                + Chain.ZERO.next("ab".repeat(32))
                + "\",\"tula.closed-through\":\"77\",\"tula.cluster-id\":\"cluster\",\"tula.commit\":\"range\","
                + "\"tula.format\":\"1\",\"tula.generation\":\"1\",\"tula.partition\":\"0\","
                + "\"tula.partition-count\":\"1\",\"tula.pipeline\":\"pipeline\",\"tula.range.amount-sum\":\"-5\","
                + "\"tula.range.digest\":\""
                + "ab".repeat(32)
                + "\",\"tula.range.from\":\"0:2147483647\",\"tula.range.rows\":\"2\","
                + "\"tula.range.to\":\"3:2147483647\",\"tula.total.amount-sum\":\"-5\",\"tula.total.rows\":\"2\","
                + "\"tula.writer-claim\":\"1\",\"tula.writer-epoch\":\"1\",\"tula.writer-id\":\"a\"}");
  }

  // Arbitrary states

  @Provide
  Arbitrary<TableState> states() {
    return Combinators.combine(
            identities(),
            claims(),
            Arbitraries.of(CommitKind.class),
            ranges().optional(),
            Arbitraries.longs().greaterOrEqual(0),
            Arbitraries.bigIntegers().optional(),
            chains(),
            Combinators.combine(optionalLongs(), watermarks().optional()).as(Rest::new))
        .as(
            (identity, claim, commit, range, rows, sum, chain, rest) ->
                new TableState(
                    PipelineIdentity.FORMAT,
                    identity,
                    claim,
                    commit,
                    range,
                    rows,
                    sum,
                    chain,
                    rest.closedThrough(),
                    rest.watermark()));
  }

  private record Rest(OptionalLong closedThrough, Optional<WatermarkState> watermark) {}

  private static Arbitrary<String> texts() {
    return Arbitraries.strings().withChars("aZ9 .\"\\\n€{}:,").ofMaxLength(8);
  }

  private static Arbitrary<TableState.Identity> identities() {
    Arbitrary<Integer> numbers = Arbitraries.integers().greaterOrEqual(0);
    return Combinators.combine(texts(), texts(), numbers, numbers, numbers)
        .as(TableState.Identity::new);
  }

  private static Arbitrary<WriterClaim> claims() {
    return Combinators.combine(
            Arbitraries.longs().greaterOrEqual(0), Arbitraries.longs().greaterOrEqual(0), texts())
        .as(WriterClaim::new);
  }

  private static Arbitrary<Position> positions() {
    return Arbitraries.oneOf(
        Arbitraries.longs().greaterOrEqual(0).map(Position::batchEnd),
        Combinators.combine(
                Arbitraries.longs().greaterOrEqual(1), Arbitraries.integers().greaterOrEqual(0))
            .as(Position::new));
  }

  private static Arbitrary<RangeState> ranges() {
    return Combinators.combine(
            positions(),
            positions(),
            hashes().optional(),
            Arbitraries.longs().greaterOrEqual(0),
            Arbitraries.bigIntegers().optional())
        .as(
            (a, b, digest, rows, sum) ->
                new RangeState(
                    new Range(Position.min(a, b), Position.max(a, b)), digest, rows, sum));
  }

  private static Arbitrary<String> hashes() {
    return Arbitraries.bytes().array(byte[].class).ofSize(32).map(HexFormat.of()::formatHex);
  }

  private static Arbitrary<Chain> chains() {
    return hashes().map(Chain::parse);
  }

  private static Arbitrary<OptionalLong> optionalLongs() {
    return Arbitraries.longs()
        .optional()
        .map(value -> value.isPresent() ? OptionalLong.of(value.get()) : OptionalLong.empty());
  }

  private static Arbitrary<WatermarkState> watermarks() {
    Arbitrary<TableAtWatermark> tables =
        Combinators.combine(
                texts(),
                positions().optional(),
                chains(),
                optionalLongs(),
                Arbitraries.longs().greaterOrEqual(0))
            .as(TableAtWatermark::new);
    Arbitrary<KafkaPosition> kafka =
        Combinators.combine(
                texts(),
                Arbitraries.integers().greaterOrEqual(0),
                Arbitraries.longs().greaterOrEqual(0))
            .as(KafkaPosition::new);
    return Combinators.combine(
            Arbitraries.maps(texts(), tables).ofMaxSize(4),
            Arbitraries.longs().greaterOrEqual(0),
            positions().optional(),
            optionalLongs(),
            kafka.optional())
        .as(WatermarkState::new);
  }
}
