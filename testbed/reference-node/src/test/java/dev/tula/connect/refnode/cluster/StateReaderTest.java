package dev.tula.connect.refnode.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.RecordKind;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.model.RowSchema;
import dev.tula.connect.model.wire.ErrorCode;
import dev.tula.connect.model.wire.Message.State;
import dev.tula.connect.model.wire.Message.StateKind;
import dev.tula.connect.model.wire.Message.StatePage;
import dev.tula.connect.refnode.ReferenceCluster;
import dev.tula.connect.refnode.history.RecordForm;
import dev.tula.connect.refnode.truth.TruthReader;
import dev.tula.connect.refnode.workload.Mixture;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class StateReaderTest {
  private static ReferenceCluster cluster;

  @BeforeAll
  static void start() {
    cluster =
        ReferenceCluster.builder()
            .seed(3)
            .maxBatchRecords(40)
            .mix(Mixture.parse("single=1,metadata=4"))
            .rows(2000)
            .start();
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static List<CanonicalRow> state(StateKind kind, Position asOf, int pageRecords) {
    Cluster.ReadContext context = cluster.cluster().readContext("c", 1 << 16);
    List<CanonicalRow> rows = new ArrayList<>();
    String cursor = "";
    do {
      StatePage page =
          cluster.cluster().state(0, context, new State(kind, asOf, cursor, pageRecords));
      assertThat(page.asOf()).isEqualTo(asOf);
      assertThat(page.records().size()).isLessThanOrEqualTo(pageRecords);
      rows.addAll(page.records());
      cursor = page.nextCursor();
    } while (!cursor.isEmpty());
    return rows;
  }

  /** The newest change of each entity, by reading every record up to the position. */
  private static Map<String, CanonicalRow> newest(RecordKind kind, Position asOf) {
    Map<String, CanonicalRow> newest = new HashMap<>();
    RowReader reader = new RowReader();
    try (TruthReader truth = TruthReader.open(cluster.directory(), 0, 1, RecordForm.FULL, asOf)) {
      while (truth.next()) {
        if (truth.row().kind() == kind) {
          reader.wrap(truth.row());
          newest.put(entity(reader), truth.row());
        }
      }
    }
    return newest;
  }

  private static String entity(RowReader reader) {
    boolean account = reader.schema().kind() == RecordKind.ACCOUNT_CHANGE;
    return account ? reader.hex(RowSchema.ENTITY_ID) : reader.string(RowSchema.ENTITY_ID);
  }

  @Test
  void the_state_as_of_a_position_is_the_newest_change_of_each_entity_by_then() {
    long head = cluster.head().globalBatchSeq();
    for (long gbs : new long[] {1, 5, head / 2, head}) {
      Position asOf = Position.batchEnd(gbs);
      Set<Integer> indexes = new HashSet<>();
      for (StateKind kind : StateKind.values()) {
        RecordKind recordKind =
            RecordKind.ofCode(2 + Arrays.asList(StateKind.values()).indexOf(kind));
        Map<String, CanonicalRow> expected = newest(recordKind, asOf);
        List<CanonicalRow> rows = state(kind, asOf, 7);
        assertThat(rows).hasSize(expected.size());
        for (CanonicalRow row : rows) {
          assertThat(indexes.add(row.arrayIndex())).as("positions are unique").isTrue();
          assertSeeded(row, expected, asOf);
        }
      }
      assertThat(indexes).allMatch(i -> i >= 1 << 30 && i < (1 << 30) + indexes.size());
    }
  }

  private static void assertSeeded(
      CanonicalRow row, Map<String, CanonicalRow> expected, Position asOf) {
    RowReader reader = new RowReader().wrap(row);
    RowReader original = new RowReader().wrap(expected.get(entity(reader)));
    assertThat(row.globalBatchSeq()).isEqualTo(asOf.globalBatchSeq());
    assertThat(row.recordedAtMicros())
        .isEqualTo(cluster.ledger().history().recordedAtMicros(asOf.globalBatchSeq()));
    assertThat(reader.string(RowSchema.CHANGE)).isEqualTo("seeded");
    assertThat(reader.string(RowSchema.ORIGIN)).isEqualTo("bootstrap");
    for (int field = RowSchema.ORIGIN + 1; field < reader.schema().size(); field++) {
      assertThat(reader.isPresent(field)).isEqualTo(original.isPresent(field));
      if (reader.isPresent(field)) {
        assertThat(value(reader, field)).isEqualTo(value(original, field));
      }
    }
  }

  private static Object value(RowReader reader, int field) {
    return switch (reader.schema().field(field).type()) {
      case INT -> reader.intValue(field);
      case LONG -> reader.longValue(field);
      case AMOUNT -> reader.amount(field);
      case ID128 -> reader.hex(field);
      case STRING_LIST -> reader.stringList(field);
      default -> reader.string(field);
    };
  }

  @Test
  void a_state_is_the_same_however_it_is_paged_and_whenever_it_is_asked_for() {
    Position asOf = Position.batchEnd(cluster.head().globalBatchSeq() / 3);
    List<CanonicalRow> first = state(StateKind.ACCOUNTS, asOf, 1000);
    for (long gbs = 1; gbs < 10; gbs++) {
      state(StateKind.ACCOUNTS, Position.batchEnd(gbs), 100);
    }
    assertThat(state(StateKind.ACCOUNTS, asOf, 3)).isEqualTo(first).isNotEmpty();
  }

  @Test
  void nothing_is_known_as_of_the_origin() {
    assertThat(state(StateKind.ACCOUNTS, Position.ORIGIN, 10)).isEmpty();
  }

  @Test
  void requests_that_make_no_sense_are_refused() {
    Position head = cluster.head();
    assertRefused(ErrorCode.ERR_BAD_REQUEST, new State(StateKind.ACCOUNTS, head, "", 0));
    assertRefused(ErrorCode.ERR_BAD_REQUEST, new State(StateKind.ACCOUNTS, head, "x", 1));
    assertRefused(ErrorCode.ERR_BAD_REQUEST, new State(StateKind.ACCOUNTS, head, "-1", 1));
    assertRefused(ErrorCode.ERR_BAD_REQUEST, new State(StateKind.ACCOUNTS, head, "999999", 1));
    assertRefused(
        ErrorCode.ERR_BAD_REQUEST, new State(StateKind.ACCOUNTS, new Position(1, 1), "", 1));
    assertRefused(
        ErrorCode.ERR_POSITION_AHEAD,
        new State(StateKind.ACCOUNTS, Position.batchEnd(head.globalBatchSeq() + 1), "", 1));
  }

  private static void assertRefused(ErrorCode code, State state) {
    Cluster.ReadContext context = cluster.cluster().readContext("c", 1 << 16);
    assertThatThrownBy(() -> cluster.cluster().state(0, context, state))
        .isInstanceOfSatisfying(
            QueryPortException.class, e -> assertThat(e.reply().code()).isEqualTo(code));
  }
}
