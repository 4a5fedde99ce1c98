package dev.tula.connect.model.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tula.connect.model.LedgerArbitraries;
import dev.tula.connect.model.MalformedRecordException;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamIdentity;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class LakeEventTest {
  private static final EventIdentity IDENTITY =
      EventIdentity.of(new StreamIdentity("c1", "ledger", 2, 1, 4, true, true));
  private static final Instant AT = Instant.parse("2026-01-31T12:00:00.000005Z");
  private static final Position FROM = Position.batchEnd(3);
  private static final Position TO = Position.batchEnd(5);

  private static final CheckpointEvent CHECKPOINT =
      new CheckpointEvent(
          IDENTITY, 7, 9, "w-1", FROM, TO, 1_767_225_600_000_000L, "ledger.g2", 1, 1234, AT);
  private static final TableEvent TABLE =
      new TableEvent(
          IDENTITY,
          "transactions_rejected",
          "0b1f",
          FROM,
          TO,
          "ab",
          "cd",
          2,
          Optional.of(new BigInteger("-340282366920938463463374607431768211456")),
          17,
          8_000_000_000_000_000_001L,
          7,
          9);
  private static final TableEvent CHANGE_LOG =
      new TableEvent(
          IDENTITY,
          "account_changes",
          "0b1f",
          FROM,
          TO,
          "ab",
          "cd",
          2,
          Optional.empty(),
          17,
          5,
          7,
          9);
  private static final HaltEvent HALT =
      new HaltEvent(IDENTITY, "h-1", "gap", "table \"x\": a gap\nafter 3:7", "w-1", 7, 9, AT);
  private static final ClearEvent CLEAR =
      new ClearEvent(IDENTITY, "h-1", Optional.empty(), "root", AT);
  private static final ClearEvent CLEAR_WITH_REWIND =
      new ClearEvent(IDENTITY, "h-1", Optional.of(FROM), "root", AT);
  private static final RepairEvent REPAIR =
      new RepairEvent(
          IDENTITY,
          "transactions",
          "r-1",
          List.of(
              new RepairEvent.RepairedRange(FROM, TO, "ab", 2, Optional.of(BigInteger.TEN)),
              new RepairEvent.RepairedRange(TO, Position.batchEnd(6), "cd", 0, Optional.empty())),
          17,
          5,
          7,
          9,
          AT);

  private static final String WHOSE =
      "\"pipeline\":\"ledger\",\"cluster_id\":\"c1\",\"generation\":2,\"partition\":1,\"partition_count\":4,";

  static Stream<Arguments> documents() {
    return Stream.of(
        Arguments.of(
            CHECKPOINT,
            "{\"type\":\"checkpoint\",\"generation\":2,\"partition\":1,\"epoch\":7,\"n\":9}",
            "{\"v\":1,\"type\":\"checkpoint\","
                + WHOSE
                + "\"epoch\":7,\"n\":9,\"writer_id\":\"w-1\",\"from\":\"3:2147483647\",\"to\":\"5:2147483647\","
                + "\"closed_through\":1767225600000000,\"kafka_topic\":\"ledger.g2\",\"kafka_partition\":1,"
                + "\"kafka_offset\":1234,\"at\":\"2026-01-31T12:00:00.000005Z\"}"),
        Arguments.of(
            TABLE,
            "{\"type\":\"table\",\"generation\":2,\"partition\":1,\"table\":\"transactions_rejected\","
                + "\"to\":\"5:2147483647\"}",
            "{\"v\":1,\"type\":\"table\","
                + WHOSE
                + "\"table\":\"transactions_rejected\",\"uuid\":\"0b1f\",\"from\":\"3:2147483647\","
                + "\"to\":\"5:2147483647\",\"digest\":\"ab\",\"chain\":\"cd\",\"rows\":2,"
                + "\"amount_sum\":\"-340282366920938463463374607431768211456\",\"total_rows\":17,"
                + "\"snapshot_id\":8000000000000000001,\"epoch\":7,\"n\":9}"),
        Arguments.of(
            CHANGE_LOG,
            "{\"type\":\"table\",\"generation\":2,\"partition\":1,\"table\":\"account_changes\","
                + "\"to\":\"5:2147483647\"}",
            "{\"v\":1,\"type\":\"table\","
                + WHOSE
                + "\"table\":\"account_changes\",\"uuid\":\"0b1f\",\"from\":\"3:2147483647\","
                + "\"to\":\"5:2147483647\",\"digest\":\"ab\",\"chain\":\"cd\",\"rows\":2,\"total_rows\":17,"
                + "\"snapshot_id\":5,\"epoch\":7,\"n\":9}"),
        Arguments.of(
            HALT,
            "{\"type\":\"halt\",\"generation\":2,\"partition\":1,\"id\":\"h-1\"}",
            "{\"v\":1,\"type\":\"halt\","
                + WHOSE
                + "\"id\":\"h-1\",\"reason\":\"gap\",\"message\":\"table \\\"x\\\": a gap\\nafter 3:7\","
                + "\"writer_id\":\"w-1\",\"epoch\":7,\"n\":9,\"at\":\"2026-01-31T12:00:00.000005Z\"}"),
        Arguments.of(
            CLEAR,
            "{\"type\":\"clear\",\"generation\":2,\"partition\":1,\"id\":\"h-1\"}",
            "{\"v\":1,\"type\":\"clear\","
                + WHOSE
                + "\"id\":\"h-1\",\"by\":\"root\",\"at\":\"2026-01-31T12:00:00.000005Z\"}"),
        Arguments.of(
            CLEAR_WITH_REWIND,
            "{\"type\":\"clear\",\"generation\":2,\"partition\":1,\"id\":\"h-1\"}",
            "{\"v\":1,\"type\":\"clear\","
                + WHOSE
                + "\"id\":\"h-1\",\"accepted_rewind\":\"3:2147483647\",\"by\":\"root\","
                + "\"at\":\"2026-01-31T12:00:00.000005Z\"}"),
        Arguments.of(
            REPAIR,
            "{\"type\":\"repair\",\"generation\":2,\"partition\":1,\"table\":\"transactions\",\"id\":\"r-1\"}",
            "{\"v\":1,\"type\":\"repair\","
                + WHOSE
                + "\"table\":\"transactions\",\"id\":\"r-1\",\"ranges\":["
                + "{\"from\":\"3:2147483647\",\"to\":\"5:2147483647\",\"digest\":\"ab\",\"rows\":2,\"amount_sum\":\"10\"},"
                + "{\"from\":\"5:2147483647\",\"to\":\"6:2147483647\",\"digest\":\"cd\",\"rows\":0}],"
                + "\"total_rows\":17,\"snapshot_id\":5,\"epoch\":7,\"n\":9,"
                + "\"at\":\"2026-01-31T12:00:00.000005Z\"}"));
  }

  /** Compaction compares keys byte by byte, so their order of fields is part of the format. */
  @ParameterizedTest
  @MethodSource("documents")
  void key_and_value_are_these_bytes_and_read_back(LakeEvent event, String key, String value) {
    assertThat(event.key()).isEqualTo(key);
    assertThat(event.value()).isEqualTo(value);
    assertThat(LakeEvent.parse(value)).isEqualTo(event);
  }

  @ParameterizedTest
  @MethodSource("documents")
  void a_document_of_another_version_is_refused(LakeEvent event, String key, String value) {
    for (String version : List.of("2", "0", "\"1\"", "1.0", "null", "4294967297")) {
      assertRefused(value.replace("{\"v\":1,", "{\"v\":" + version + ","), "v");
    }
    assertRefused(value.replace("\"v\":1,", ""), "lacks field v");
  }

  @ParameterizedTest
  @MethodSource("documents")
  void a_document_without_one_of_its_fields_is_refused_by_name(
      LakeEvent event, String key, String value) {
    for (String name : fields(value)) {
      if (name.equals("amount_sum") || name.equals("accepted_rewind")) {
        continue;
      }
      ObjectNode document = object(value);
      document.remove(name);
      assertRefused(document.toString(), "lacks field " + name);
      document.putNull(name);
      assertRefused(document.toString(), "lacks field " + name);
    }
  }

  @ParameterizedTest
  @MethodSource("documents")
  void a_field_of_another_type_is_refused_by_name(LakeEvent event, String key, String value) {
    for (String name : fields(value)) {
      ObjectNode document = object(value);
      document.put(name, true);
      assertRefused(document.toString(), name);
      document.put(name, 1.5);
      assertRefused(document.toString(), name);
      if (object(value).get(name).isNumber()) {
        document.put(name, "1");
      } else {
        document.put(name, 1);
      }
      assertRefused(document.toString(), name);
    }
  }

  @Test
  void numbers_beyond_their_width_are_refused() {
    assertRefused(
        CHECKPOINT.value().replace("\"partition\":1", "\"partition\":2147483648"), "partition");
    assertRefused(
        CHECKPOINT.value().replace("\"epoch\":7", "\"epoch\":9223372036854775808"), "epoch");
    assertRefused(
        TABLE.value().replace("-340282366920938463463374607431768211456", "1.5"), "amount_sum");
    assertRefused(
        TABLE.value().replace("-340282366920938463463374607431768211456", ""), "amount_sum");
    assertRefused(HALT.value().replace("2026-01-31T", "2026-02-31T"), "at");
    assertRefused(TABLE.value().replace("3:2147483647", "3"), "from");
  }

  @Test
  void repaired_ranges_are_read_as_strictly_as_the_rest() {
    String range =
        "{\"from\":\"3:2147483647\",\"to\":\"5:2147483647\",\"digest\":\"ab\",\"rows\":2,"
            + "\"amount_sum\":\"10\"}";
    assertRefused(REPAIR.value().replace(range, "{}"), "from");
    assertRefused(REPAIR.value().replace(range, "7"), "ranges");
    assertRefused(REPAIR.value().replace(range, range.replace("\"10\"", "\"1.5\"")), "amount_sum");
    assertRefused(
        REPAIR.value().replace(range, range.replace("\"rows\":2", "\"lines\":2")), "rows");
    assertRefused(
        REPAIR.value().replace(range, range.replace("\"3:2147483647\"", "\"3\"")), "from");
    assertRefused(
        REPAIR.value().replaceFirst("\"ranges\":\\[.*\\]", "\"ranges\":" + range), "ranges");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "null",
        "7",
        "\"x\"",
        "[]",
        "{",
        "{\"v\":1}",
        "{\"v\":1,\"type\":7}",
        "not json",
        "{'v':1}"
      })
  void what_is_no_event_is_refused(String value) {
    assertThatExceptionOfType(MalformedRecordException.class)
        .isThrownBy(() -> LakeEvent.parse(value));
  }

  @Test
  void documents_with_two_meanings_are_refused() {
    assertRefused(CLEAR.value() + CLEAR.value(), "one JSON object");
    assertRefused(
        CLEAR.value().replace("\"by\":\"root\"", "\"by\":\"root\",\"by\":\"eve\""),
        "one JSON object");
    assertThatExceptionOfType(MalformedRecordException.class)
        .isThrownBy(() -> LakeEvent.parse(null));
  }

  @Test
  void an_unknown_type_is_refused_by_name() {
    assertRefused(CLEAR.value().replace("\"type\":\"clear\"", "\"type\":\"forget\""), "forget");
  }

  private static void assertRefused(String value, String part) {
    assertThatExceptionOfType(MalformedRecordException.class)
        .as(value)
        .isThrownBy(() -> LakeEvent.parse(value))
        .withMessageContaining(part);
  }

  @Provide
  Arbitrary<LakeEvent> events() {
    return Arbitraries.oneOf(checkpoints(), tables(), halts(), clears(), repairs());
  }

  private static Arbitrary<Long> numbers() {
    return Arbitraries.longs();
  }

  private static Arbitrary<String> texts() {
    return LedgerArbitraries.strings();
  }

  private static Arbitrary<Position> positions() {
    return LedgerArbitraries.positions();
  }

  private static Arbitrary<EventIdentity> identities() {
    return LedgerArbitraries.identities().map(EventIdentity::of);
  }

  private static Arbitrary<Instant> times() {
    return Combinators.combine(
            Arbitraries.longs().between(-62_135_596_800L, 253_402_300_799L),
            Arbitraries.integers().between(0, 999_999_999))
        .as(Instant::ofEpochSecond);
  }

  private static Arbitrary<LakeEvent> checkpoints() {
    return Combinators.combine(
            identities(),
            numbers().list().ofSize(4),
            texts().list().ofSize(2),
            positions(),
            positions(),
            times())
        .as(
            (id, n, t, from, to, at) ->
                new CheckpointEvent(
                    id,
                    n.get(0),
                    n.get(1),
                    t.get(0),
                    from,
                    to,
                    n.get(2),
                    t.get(1),
                    id.partition(),
                    n.get(3),
                    at));
  }

  private static Arbitrary<LakeEvent> tables() {
    return Combinators.combine(
            identities(),
            numbers().list().ofSize(5),
            texts().list().ofSize(4),
            positions(),
            positions(),
            LedgerArbitraries.amounts().optional())
        .as(
            (id, n, t, from, to, sum) ->
                new TableEvent(
                    id, t.get(0), t.get(1), from, to, t.get(2), t.get(3), n.get(0), sum, n.get(1),
                    n.get(2), n.get(3), n.get(4)));
  }

  private static Arbitrary<LakeEvent> halts() {
    return Combinators.combine(
            identities(), texts().list().ofSize(4), numbers(), numbers(), times())
        .as(
            (id, t, epoch, n, at) ->
                new HaltEvent(id, t.get(0), t.get(1), t.get(2), t.get(3), epoch, n, at));
  }

  private static Arbitrary<LakeEvent> clears() {
    return Combinators.combine(identities(), texts(), positions().optional(), texts(), times())
        .as(ClearEvent::new);
  }

  private static Arbitrary<LakeEvent> repairs() {
    Arbitrary<RepairEvent.RepairedRange> ranges =
        Combinators.combine(
                positions(),
                positions(),
                texts(),
                numbers(),
                LedgerArbitraries.amounts().optional())
            .as(RepairEvent.RepairedRange::new);
    return Combinators.combine(
            identities(),
            texts(),
            texts(),
            ranges.list().ofMaxSize(3),
            numbers().list().ofSize(4),
            times())
        .as(
            (id, table, name, range, n, at) ->
                new RepairEvent(
                    id, table, name, range, n.get(0), n.get(1), n.get(2), n.get(3), at));
  }

  @Property
  void every_event_reads_back(@ForAll("events") LakeEvent event) {
    assertThat(LakeEvent.parse(event.value())).isEqualTo(event);
    assertThat(event.value()).startsWith("{\"v\":1,\"type\":\"" + event.type() + "\",");
    assertThat(event.key()).startsWith("{\"type\":\"" + event.type() + "\",");
    assertThat(event.key() + event.value()).doesNotContain("\n");
  }

  private static List<String> fields(String value) {
    List<String> names = new ArrayList<>();
    object(value).fieldNames().forEachRemaining(names::add);
    return names;
  }

  private static ObjectNode object(String value) {
    try {
      return (ObjectNode) new ObjectMapper().readTree(value);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
