package dev.tula.connect.source;

import static dev.tula.connect.queryport.FakeEngine.lost;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.queryport.Clock;
import dev.tula.connect.queryport.ExportFailure;
import dev.tula.connect.queryport.FakeEngine;
import dev.tula.connect.queryport.Rows;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.MockAdminClient;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tasks that bootstrap, between a fake engine and a topic that outlives them. */
@Timeout(300)
class BootstrapTest {
  private static final Position P = Position.batchEnd(5);

  private final FakeEngine engine = new FakeEngine();
  private final MockAdminClient admin = MockAdminClient.create().numBrokers(1).build();
  private final Map<String, String> overrides = new HashMap<>();
  private final List<StartedSourceTask> tasks = new ArrayList<>();
  private DataTopicDouble topic = new DataTopicDouble();

  BootstrapTest() {
    engine.commitBatches(9, 2);
    engine.holdsState(5, 2);
    engine.reclaim(P);
    overrides.put(SourceConfig.BOOTSTRAP, SourceConfig.BOOTSTRAP_INITIAL);
    overrides.put(SourceConfig.INCLUDE_METADATA, "true");
    overrides.put(SourceConfig.PAGE_MAX_RECORDS, "2");
  }

  @AfterEach
  void stop() {
    tasks.forEach(StartedSourceTask::stop);
    assertThat(engine.openConnections()).as("every connection is closed").isZero();
    assertThat(topic.openReaders()).as("every consumer is closed").isZero();
  }

  @Test
  void the_state_at_the_floor_comes_first_and_then_the_stream_from_there() throws Exception {
    drainWhole(1, Map.of());
    List<StreamItem> items = topic.items(0);
    Position before = Position.beforeSeeded(5);
    assertThat(items.get(0))
        .as("recorded_at of batch 5 is its seeded rows' too, so what is closed is less")
        .isEqualTo(new StreamItem.Start(before, 4_999_999, identity(1, 0)));
    assertThat(items.get(1))
        .isEqualTo(new StreamItem.Coverage(before, before, 4_999_999, identity(1, 0)));
    assertThat(items.get(9))
        .isEqualTo(new StreamItem.Coverage(seededEnd(), P, 5_999_999, identity(1, 0)));
    assertComplete(1);
  }

  @Test
  @DisplayName("Only partition P.gbs % N seeds; the others begin after P")
  void several_partitions_begin_at_the_same_place_and_one_of_them_seeds() throws Exception {
    drainWhole(4, Map.of());
    for (int partition = 0; partition < 4; partition++) {
      Position from = partition == 1 ? Position.beforeSeeded(5) : P;
      assertThat(topic.items(partition).get(0).provesTo()).isEqualTo(from);
    }
    assertComplete(4);
  }

  @ParameterizedTest
  @CsvSource({"1", "3"})
  @DisplayName("I1: a crash after any record, with any offset stored, leaves no double and no gap")
  void a_crash_anywhere_resumes_or_repeats(int partitionCount) throws Exception {
    drainWhole(partitionCount, Map.of());
    DataTopicDouble whole = topic;
    int seeding = 5 % partitionCount;
    List<SourceRecord> records = whole.records(seeding);
    for (int sent = 1; sent <= records.size(); sent++) {
      for (int stored = 0; stored <= sent; stored++) {
        topic = new DataTopicDouble();
        Map<Integer, SourceOffset> offsets = new HashMap<>();
        for (int partition = 0; partition < partitionCount; partition++) {
          List<SourceRecord> kept = whole.records(partition);
          int count = partition == seeding ? sent : Math.min(kept.size(), partition);
          kept.subList(0, count).forEach(topic::append);
        }
        if (stored > 0) {
          offsets.put(seeding, (SourceOffset) records.get(stored - 1).sourceOffset());
        }
        drainWhole(partitionCount, offsets);
        assertComplete(partitionCount);
      }
    }
  }

  @Test
  void a_topic_that_lost_its_beginning_is_refused_with_what_to_do() throws Exception {
    drainWhole(1, Map.of());
    SourceRecord later = topic.records(0).get(3);
    topic = new DataTopicDouble();
    topic.append(later);
    start(1, "0", Map.of());
    assertThatExceptionOfType(ExportFailure.class)
        .isThrownBy(() -> pollUntil(() -> false))
        .withMessageContaining("topic data, partition 0, already holds records from offset 0 on")
        .withMessageContaining("tula-lake watermark");
    assertThat(topic.records(0)).hasSize(1);
  }

  @Test
  void a_crash_before_anything_was_sent_may_choose_another_place() throws Exception {
    engine.reclaim(Position.batchEnd(7));
    drainWhole(1, Map.of());
    assertThat(topic.items(0).get(0).provesTo()).isEqualTo(Position.beforeSeeded(7));
    assertComplete(1, Position.batchEnd(7));
  }

  @Test
  @DisplayName("87: a state that is gone is the same error again, never another state")
  void what_was_begun_is_never_begun_elsewhere() throws Exception {
    drainWhole(1, Map.of());
    SourceRecord start = topic.records(0).get(0);
    for (SourceOffset offset : new SourceOffset[] {null, (SourceOffset) start.sourceOffset()}) {
      topic = new DataTopicDouble();
      topic.append(start);
      engine.reclaim(Position.batchEnd(7));
      for (int again = 0; again < 2; again++) {
        start(1, "0", offset == null ? Map.of() : Map.of(0, offset));
        assertThatExceptionOfType(ExportFailure.class)
            .isThrownBy(() -> pollUntil(() -> false))
            .withMessageStartingWith("TULA-87 ")
            .withMessageContaining("(5:2147483647, 7:2147483647]");
        stopTasks();
      }
    }
  }

  @Test
  void a_first_partition_that_was_emptied_begins_again_where_the_others_did() throws Exception {
    drainWhole(3, Map.of());
    DataTopicDouble whole = topic;
    topic = new DataTopicDouble();
    whole.records(1).forEach(topic::append);
    whole.records(2).forEach(topic::append);
    overrides.put(SourceConfig.START_POSITION, "7:2147483647");
    start(3, "0", Map.of());
    pollUntil(() -> reachedHead(0));
    stopTasks();
    assertThat(topic.items(0).get(0).provesTo()).isEqualTo(P);
    assertComplete(3);
  }

  @Test
  void an_offset_in_the_stream_means_that_nothing_is_seeded() throws Exception {
    drainWhole(1, Map.of(0, new SourceOffset(Position.batchEnd(6), FakeEngine.CLUSTER, null)));
    assertThat(topic.items(0)).noneMatch(StreamItem.Start.class::isInstance);
    assertThat(topic.items(0)).noneMatch(item -> isSeeded(item));
    assertThat(topic.looks()).as("nothing has to be looked up").isZero();
  }

  @Test
  void a_bootstrap_that_is_switched_off_half_way_is_completed() throws Exception {
    drainWhole(1, Map.of());
    List<SourceRecord> first = topic.records(0).subList(0, 5);
    topic = new DataTopicDouble();
    first.forEach(topic::append);
    overrides.put(SourceConfig.BOOTSTRAP, SourceConfig.BOOTSTRAP_NONE);
    drainWhole(1, Map.of(0, (SourceOffset) first.get(4).sourceOffset()));
    assertComplete(1);
  }

  @Test
  void a_position_that_is_configured_is_where_the_state_is_of() throws Exception {
    overrides.put(SourceConfig.START_POSITION, "8:2147483647");
    drainWhole(2, Map.of());
    assertComplete(2, Position.batchEnd(8));
  }

  @Test
  void a_ledger_that_is_whole_is_streamed_from_its_origin_and_nothing_is_seeded() throws Exception {
    engine.reclaim(Position.ORIGIN);
    drainWhole(2, Map.of());
    for (int partition = 0; partition < 2; partition++) {
      assertThat(topic.items(partition).get(0).provesTo()).isEqualTo(Position.ORIGIN);
      assertThat(topic.items(partition)).noneMatch(BootstrapTest::isSeeded);
    }
  }

  @Test
  void without_metadata_nothing_is_seeded() throws Exception {
    overrides.put(SourceConfig.INCLUDE_METADATA, "false");
    drainWhole(1, Map.of());
    assertThat(topic.items(0).get(0).provesTo()).isEqualTo(P);
    assertThat(topic.items(0)).noneMatch(BootstrapTest::isSeeded);
  }

  @Test
  void a_state_without_rows_is_a_bootstrap_too() throws Exception {
    engine.holdsState(0, 0);
    drainWhole(1, Map.of());
    assertThat(topic.items(0).get(0))
        .isEqualTo(new StreamItem.Start(Position.beforeSeeded(5), 5_999_999, identity(1, 0)));
    assertComplete(1);
  }

  @Test
  void a_lost_connection_between_two_pages_of_the_state_costs_nothing() throws Exception {
    engine.failState(node -> {}, node -> {}, lost(), node -> {}, lost(), lost());
    drainWhole(1, Map.of());
    assertComplete(1);
  }

  @Test
  void a_floor_that_passes_the_place_while_it_is_chosen_is_asked_for_again() throws Exception {
    engine.failState(node -> engine.reclaim(Position.batchEnd(6)));
    drainWhole(1, Map.of());
    assertComplete(1, Position.batchEnd(6));
  }

  @Test
  void the_lease_is_held_at_the_state_s_place_all_the_while() throws Exception {
    drainWhole(1, Map.of());
    assertThat(engine.fetches().stream().takeWhile(fetch -> fetch.until().isPresent()))
        .as("once to begin, then with each page of rows and before the last coverage record")
        .hasSizeGreaterThan(4)
        .allMatch(fetch -> fetch.after().equals(P) && fetch.options().lease());
  }

  @Test
  void the_others_wait_for_who_chooses_and_say_so_when_it_does_not_come() {
    overrides.put("tula.retry.timeout.ms", "0");
    start(2, "1", Map.of());
    assertThatExceptionOfType(ExportFailure.class)
        .isThrownBy(() -> pollUntil(() -> false))
        .withMessageContaining("partition 1 begins where the bootstrap of partition 0 says");
    assertThat(engine.fetches()).isEmpty();
  }

  @Test
  void tasks_on_different_workers_begin_at_the_same_place() throws Exception {
    overrides.put(SourceConfig.FETCH_WAIT_MS, "10");
    start(2, "1", Map.of());
    start(2, "0", Map.of());
    pollUntil(() -> reachedHead(0) && reachedHead(1));
    assertComplete(2);
  }

  @Test
  void what_another_task_began_counts_and_not_what_is_configured_now() throws Exception {
    overrides.put(SourceConfig.START_POSITION, "7:2147483647");
    start(2, "0", Map.of());
    pollUntil(() -> reachedHead(0));
    stopTasks();
    overrides.put(SourceConfig.START_POSITION, SourceConfig.EARLIEST);
    start(2, "1", Map.of());
    pollUntil(() -> reachedHead(1));
    assertComplete(2, Position.batchEnd(7));
  }

  @ParameterizedTest
  @ValueSource(strings = {"gap", "mark", "order", "batch"})
  void a_state_that_breaks_a_promise_is_refused(String how) {
    FakeEngine broken =
        new FakeEngine() {
          @Override
          public synchronized List<CanonicalRow> state(Position asOf) {
            List<CanonicalRow> rows = new ArrayList<>(super.state(asOf));
            switch (how) {
              case "gap" -> rows.remove(1);
              case "mark" ->
                  rows.set(
                      1, Rows.seeded(Message.StateKind.ACCOUNTS, 5, 1, "created", "bootstrap"));
              case "order" -> rows.add(0, rows.remove(1));
              default -> rows.set(1, Rows.seeded(Message.StateKind.ACCOUNTS, 4, 1));
            }
            return rows;
          }
        };
    broken.commitBatches(9, 2);
    broken.holdsState(5, 2);
    broken.reclaim(P);
    start(broken, 1, "0", Map.of());
    assertThatExceptionOfType(ExportFailure.class)
        .isThrownBy(() -> pollUntil(() -> false))
        .withMessageContaining("the engine broke its promises about the state as of 5:2147483647");
  }

  private static boolean isSeeded(StreamItem item) {
    return item instanceof StreamItem.Row row && row.row().position().isAmongSeeded();
  }

  private Position seededEnd() {
    return new Position(5, Position.FIRST_SEEDED_INDEX + 6);
  }

  private StreamIdentity identity(int partitionCount, int partition) {
    return config(partitionCount, Integer.toString(partition)).identity(partition);
  }

  private SourceConfig config(int partitionCount, String partitions) {
    Map<String, String> properties = Configs.ofTask(partitionCount, partitions);
    properties.putAll(overrides);
    return new SourceConfig(properties);
  }

  private void start(int partitionCount, String partitions, Map<Integer, SourceOffset> offsets) {
    start(engine, partitionCount, partitions, offsets);
  }

  private void start(
      FakeEngine ledger,
      int partitionCount,
      String partitions,
      Map<Integer, SourceOffset> offsets) {
    Collaborators collaborators =
        new Collaborators(
            ledger,
            () -> new TopicAdmin(admin, 1_000),
            SilentTail::new,
            topic::look,
            Clock.system());
    tasks.add(
        StartedSourceTask.start(
            config(partitionCount, partitions), offsets, Optional.empty(), collaborators));
  }

  /** Runs one task to the ledger's end, and stops it. */
  private void drainWhole(int partitionCount, Map<Integer, SourceOffset> offsets)
      throws InterruptedException {
    String all =
        String.join(
            ",",
            Stream.iterate(0, i -> i < partitionCount, i -> i + 1).map(String::valueOf).toList());
    start(partitionCount, all, offsets);
    pollUntil(
        () -> Stream.iterate(0, i -> i < partitionCount, i -> i + 1).allMatch(this::reachedHead));
    stopTasks();
  }

  private void stopTasks() {
    tasks.forEach(StartedSourceTask::stop);
    tasks.clear();
  }

  private void pollUntil(BooleanSupplier done) throws InterruptedException {
    while (!done.getAsBoolean()) {
      for (StartedSourceTask task : tasks) {
        List<SourceRecord> batch = task.poll();
        if (batch != null) {
          batch.forEach(topic::append);
        }
      }
    }
  }

  private boolean reachedHead(int partition) {
    List<SourceRecord> records = topic.records(partition);
    return !records.isEmpty()
        && ((SourceOffset) records.get(records.size() - 1).sourceOffset())
            .position()
            .equals(engine.head());
  }

  private void assertComplete(int partitionCount) {
    assertComplete(partitionCount, P);
  }

  /** Reads the topic as the sink does: continuous, replays compared, each position once. */
  private void assertComplete(int partitionCount, Position p) {
    TreeMap<Position, CanonicalRow> rows = new TreeMap<>();
    for (int partition = 0; partition < partitionCount; partition++) {
      Position proven = null;
      for (StreamItem item : topic.items(partition)) {
        if (item instanceof StreamItem.Start start && proven == null) {
          proven = start.from();
        }
        assertThat(proven).as("the stream begins with START").isNotNull();
        assertThat(item.provesAfter().isAtOrBelow(proven)).as("C12: %s continues", item).isTrue();
        if (item instanceof StreamItem.Row row) {
          CanonicalRow known = rows.putIfAbsent(row.row().position(), row.row());
          assertThat(known).as("a replay has the same bytes").isIn(null, row.row());
          assertThat(known == null).isEqualTo(row.row().position().isAfter(proven));
        }
        proven = Position.max(proven, item.provesTo());
      }
    }
    List<CanonicalRow> expected = new ArrayList<>(engine.state(p));
    engine.truth().stream().filter(row -> row.position().isAfter(p)).forEach(expected::add);
    assertThat(rows.values()).containsExactlyElementsOf(expected);
  }

  private static final class SilentTail implements CheckpointTail {
    @Override
    public Reach poll(long waitMs, Sink sink) throws InterruptedException {
      Thread.sleep(waitMs);
      return Reach.THROUGH;
    }

    @Override
    public void close() {}
  }
}
