package dev.tula.connect.source;

import static dev.tula.connect.source.SmallWorker.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.model.wire.ErrorCode;
import dev.tula.connect.queryport.CapturedLog;
import dev.tula.connect.queryport.ExportFailure;
import dev.tula.connect.queryport.QueryPortConfig;
import dev.tula.connect.refnode.cluster.AckEvent;
import dev.tula.connect.refnode.cluster.ExportSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.MockAdminClient;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.logging.log4j.Level;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** N export partitions in one task or many, against a real ledger with leases and retention. */
@Timeout(300)
class PartitionGroupTest {
  private final MockAdminClient admin = MockAdminClient.create().numBrokers(1).build();
  private final SmallWorker worker = new SmallWorker(admin);
  private LeasedLedger ledger = new LeasedLedger(ExportSettings.DEFAULT);

  @AfterEach
  void stop() {
    worker.close();
    ledger.close();
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 1", "2, 2", "4, 1", "4, 3", "32, 1", "32, 5"})
  void the_lowest_ack_is_credited_and_only_while_every_member_is_there(int count, int tasks) {
    Map<String, String> connector = ledger.connector(count);
    worker.start(connector, tasks);
    await(() -> ledger.leased().size() == count);
    checkpoints(connector, 5);
    assertThat(ledger.acks()).last().extracting(AckEvent::credited).isEqualTo(end(5));
    await(() -> ledger.purged().equals(end(5)));
    int expected = count > 1 ? 1 : 0;
    await(() -> worker.attribute(count - 1, "PartitionGroupStatus").equals(expected));
    if (count > 1) {
      assertNoCreditWhileATaskIsMissing(connector, tasks);
    }
    assertNeverCreditedAboveTheLowestAck(count);
  }

  /** The last partition's checkpoint is the lowest, and comes last. */
  private void checkpoints(Map<String, String> connector, long lowest) {
    SourceConfig config = new SourceConfig(connector);
    int last = config.partitionCount() - 1;
    for (int partition = 0; partition <= last; partition++) {
      long batch = partition == last ? lowest : lowest + 1 + partition % 3;
      worker.checkpoints.checkpoint(config.identity(partition), batch);
      ledger.awaitAck(partition, batch);
    }
  }

  private void assertNoCreditWhileATaskIsMissing(Map<String, String> connector, int tasks) {
    SourceConfig config = new SourceConfig(connector);
    int last = config.partitionCount() - 1;
    int missing = last % tasks;
    int live = tasks == 1 ? 0 : (int) partitionsOutside(missing, tasks, config.partitionCount());
    worker.kill(missing);
    ledger.outliveLeases(live);
    assertThat(ledger.leased()).hasSize(live);
    for (int partition = 0; partition <= last; partition++) {
      long batch = partition == last ? 15 : 16;
      worker.checkpoints.checkpoint(config.identity(partition), batch);
      if (partition % tasks != missing) {
        assertThat(ledger.awaitAck(partition, batch).credited()).isEqualTo(Position.ORIGIN);
      }
    }
    if (live > 0) {
      int alive = (missing + 1) % tasks;
      await(() -> worker.attribute(alive, "PartitionGroupStatus").equals(2));
      await(() -> worker.attribute(alive, "PartitionGroupMembersPresent").equals(live));
    }
    assertThat(ledger.purged()).as("nothing is credited, nothing purged").isEqualTo(end(5));

    worker.stopTask(missing);
    worker.startTask(missing);
    ledger.awaitAck(last, 15);
    await(() -> ledger.purged().equals(end(15)));
    await(() -> worker.attribute(last, "PartitionGroupStatus").equals(1));
  }

  private static long partitionsOutside(int task, int tasks, int count) {
    return IntStream.range(0, count).filter(each -> each % tasks != task).count();
  }

  private static Position end(long batch) {
    return Position.batchEnd(batch);
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 2", "4, 3", "32, 5"})
  void a_new_leader_gives_credit_again_once_every_member_has_acked_to_it(int count, int tasks) {
    Map<String, String> connector = ledger.connector(count);
    worker.start(connector, tasks);
    await(() -> ledger.leased().size() == count);
    checkpoints(connector, 5);
    ledger.cluster.faults().changeLeader();
    await(() -> ledger.acks().stream().filter(ack -> ack.term() == 2).count() >= count);
    assertNeverCreditedAboveTheLowestAck(count);
    await(() -> ledger.purged().equals(end(5)));
    checkpoints(connector, 10);
    assertThat(ledger.acks()).last().extracting(AckEvent::credited).isEqualTo(end(10));
  }

  /** In whatever term: a new one begins without any. */
  private void assertNeverCreditedAboveTheLowestAck(int count) {
    Map<Integer, Position> acked = new HashMap<>();
    long term = 0;
    for (AckEvent ack : ledger.acks()) {
      if (ack.term() != term) {
        term = ack.term();
        acked.clear();
      }
      acked.merge(ack.partition(), ack.through(), Position::max);
      Position lowest =
          acked.size() == count
              ? acked.values().stream().min(Position::compareTo).orElseThrow()
              : Position.ORIGIN;
      assertThat(ack.credited().isAfter(lowest)).as("%s with %s", ack, acked).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 32})
  void another_number_of_tasks_alone_leaves_no_gap_and_no_double(int count) {
    Map<String, String> connector = ledger.connector(count);
    for (int tasks : new int[] {1, Math.min(3, count), count, 1}) {
      worker.start(connector, tasks);
      ledger.cluster.advance(200);
      awaitHead(count);
      worker.stop();
    }
    for (int partition = 0; partition < count; partition++) {
      assertThat(rows(partition)).isEqualTo(ledger.truth(partition, count));
      assertThat(worker.topic.items(partition))
          .filteredOn(StreamItem.Start.class::isInstance)
          .hasSize(1);
    }
  }

  @Test
  void another_n_is_refused_by_connect_s_offsets_before_anything_is_read_or_written() {
    worker.start(ledger.connector(2), 1);
    awaitHead(2);
    worker.stop();
    int sent = worker.topic.records(0).size();
    for (int other : new int[] {1, 4}) {
      assertThatExceptionOfType(ExportFailure.class)
          .isThrownBy(() -> worker.start(ledger.connector(other), 1))
          .withMessageStartingWith("TULA-88 pipeline p, generation 1, was exported with")
          .withMessageContaining("tula.partition.count=2")
          .withMessageContaining("set it back, or open the next generation (tula.generation)");
    }
    assertThat(worker.topic.records(0)).hasSize(sent);
    worker.start(ledger.connector(2), 2);
    ledger.cluster.advance(100);
    awaitHead(2);
    assertThat(rows(0)).isEqualTo(ledger.truth(0, 2));
  }

  @ParameterizedTest
  @ValueSource(strings = {"data", "p.checkpoints"})
  void another_n_is_refused_by_either_topic_before_anything_is_read_or_written(String topic)
      throws Exception {
    admin.createTopics(List.of(new NewTopic(topic, 2, (short) 1))).all().get();
    worker.start(ledger.connector(4), 1);
    assertThat(worker.awaitFailure(0))
        .hasMessageStartingWith("TULA-88 topic " + topic + " has 2 partitions")
        .hasMessageContaining("must have exactly tula.partition.count=4")
        .hasMessageContaining("open the next generation (tula.generation)");
    assertThat(admin.listTopics().names().get()).containsExactly(topic);
    assertThat(ledger.leased()).isEmpty();
    assertThat(worker.topic.records(0)).isEmpty();
  }

  @Test
  void another_n_is_refused_by_validate_while_the_pipeline_s_leases_live() {
    worker.start(ledger.connector(2), 1);
    await(() -> ledger.leased().size() == 2);
    Map<String, String> changed = ledger.connector(4);
    assertThat(errors(changed, SourceConfig.PARTITION_COUNT))
        .singleElement()
        .asString()
        .contains("source-0 holds a lease on partition 0 of 2 of pipeline p, generation 1")
        .contains("set it to 2, or open the next generation (tula.generation)");
    changed.put(SourceConfig.GENERATION, "2");
    assertThat(errors(changed, SourceConfig.PARTITION_COUNT)).isEmpty();
    assertThat(errors(ledger.connector(2), SourceConfig.PARTITION_COUNT)).isEmpty();
  }

  private static List<String> errors(Map<String, String> properties, String field) {
    return new TulaSourceConnector()
        .validate(properties).configValues().stream()
            .filter(value -> value.name().equals(field))
            .map(ConfigValue::errorMessages)
            .findFirst()
            .orElseThrow();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "33 | tula.fetch.wait.ms           | 100   | is above 32, the most members of a group",
        "2  | tula.register.export.lease   | false | the partitions form a group by leases alone",
        "2  | tula.allow.follower.reads    | true  | only the leader is acked"
      })
  void without_a_group_there_is_no_credit_which_is_said_once_at_start_and_in_the_metric(
      int count, String key, String value, String reason) {
    Map<String, String> connector = ledger.connector(count);
    connector.put(key, value);
    try (CapturedLog log = new CapturedLog("dev.tula.connect.source", Level.WARN)) {
      worker.start(connector, 2);
      SourceConfig config = new SourceConfig(connector);
      for (int partition = 0; partition < count; partition++) {
        worker.checkpoints.checkpoint(config.identity(partition), 5);
      }
      awaitHead(count);
      if (!config.followerReads()) {
        ledger.awaitAck(count - 1, 5);
      }
      assertThat(log.lines())
          .filteredOn(line -> line.contains("earn no credit"))
          .singleElement()
          .asString()
          .contains(reason);
    }
    assertThat(ledger.acks()).allMatch(ack -> ack.credited().equals(Position.ORIGIN));
    assertThat(worker.attribute(0, "PartitionGroupStatus")).isEqualTo(3);
    assertThat(ledger.purged()).isEqualTo(Position.ORIGIN);
  }

  @Test
  void an_engine_without_leases_forms_no_group_which_each_partition_says_once() {
    ledger.close();
    ledger = new LeasedLedger(ExportSettings.DEFAULT.withLeaseTtlMs(0));
    try (CapturedLog log = new CapturedLog("dev.tula.connect.source", Level.WARN)) {
      worker.start(ledger.connector(2), 1);
      awaitHead(2);
      await(() -> worker.attribute(1, "PartitionGroupStatus").equals(3));
      assertThat(log.lines())
          .filteredOn(line -> line.contains("earn no credit"))
          .hasSize(2)
          .allMatch(line -> line.contains("export_lease_ttl_ms is 0"));
    }
  }

  @Test
  void sub_code_1_another_n_than_the_live_tasks_is_88_and_says_to_set_it_back() {
    try (SmallWorker other = new SmallWorker(admin)) {
      worker.start(ledger.connector(2), 2);
      await(() -> ledger.leased().size() == 2);
      Map<String, String> changed = ledger.connector(4);
      changed.put(SourceConfig.NAME, "other");
      changed.put(SourceConfig.TOPIC, "other");
      other.start(changed, 1);
      assertConflict(other, 0, ErrorCode.GROUP_COUNT_DIFFERS)
          .hasMessageContaining(" holds p generation 1 partition ")
          .hasMessageContaining("N is fixed for a generation")
          .hasMessageContaining("set it to that, or open the next generation (tula.generation)");
      assertThat(other.topic.records(0)).isEmpty();
      assertStillAGroupOf(2);
    }
  }

  @Test
  void sub_code_2_another_connector_on_the_same_pipeline_is_waited_for_then_88_and_named() {
    try (SmallWorker other = new SmallWorker(admin)) {
      worker.start(ledger.connector(2), 2);
      await(() -> ledger.leased().size() == 2);
      Map<String, String> copy = ledger.connector(2);
      copy.put(SourceConfig.NAME, "copy");
      copy.put(QueryPortConfig.RETRY_INDEX_TAKEN_TIMEOUT_MS, "100");
      other.start(copy, 1);
      assertConflict(other, 0, ErrorCode.GROUP_INDEX_TAKEN)
          .hasMessageContaining("is held by source-")
          .hasMessageContaining("another connector reads this pipeline's partition")
          .hasMessageContaining("stop it or give this one another tula.pipeline");
      assertStillAGroupOf(2);
    }
  }

  @Test
  void sub_code_3_tasks_that_ask_for_other_records_are_88_and_say_which_settings() {
    try (SmallWorker other = new SmallWorker(admin)) {
      worker.start(ledger.connector(2), 2);
      await(() -> ledger.leased().size() == 2);
      worker.stopTask(1);
      ledger.outliveLeases(1);
      Map<String, String> differing = ledger.connector(2);
      differing.put(SourceConfig.NAME, "other");
      differing.put(SourceConfig.INCLUDE_METADATA, "true");
      other.start(differing, 2);
      assertConflict(other, 1, ErrorCode.GROUP_OPTION_MISMATCH)
          .hasMessageContaining("tula.include.metadata or tula.full.txn.record differs")
          .hasMessageContaining("set it back");
      worker.startTask(1);
      assertStillAGroupOf(2);
    }
  }

  @Test
  void sub_code_4_a_lease_table_without_room_for_all_is_88_and_says_to_make_room() {
    ledger.close();
    ledger = new LeasedLedger(ExportSettings.DEFAULT.withLeaseTableSize(3));
    worker.start(ledger.connector(4), 1);
    assertConflict(worker, 0, ErrorCode.GROUP_LEASE_TABLE_FULL)
        .hasMessageContaining("is full with 3 leases")
        .hasMessageContaining("has no room for every partition of the group")
        .hasMessageContaining("enlarge it (export_lease_table_size)");
  }

  @Test
  void sub_code_5_a_group_away_from_the_leader_is_88_and_says_to_read_the_leader() {
    // The connector never asks a follower for a group; a node may see that differently for once.
    ledger.cluster.faults().groupConflict(1, ErrorCode.GROUP_NOT_THE_LEADERS);
    worker.start(ledger.connector(2), 1);
    assertConflict(worker, 0, ErrorCode.GROUP_NOT_THE_LEADERS)
        .hasMessageContaining("a partition group has to read the leader")
        .hasMessageContaining("tula.allow.follower.reads=false");
  }

  private static AbstractThrowableAssert<?, ?> assertConflict(
      SmallWorker failing, int task, int subCode) {
    return assertThat((Throwable) failing.awaitFailure(task))
        .isInstanceOf(ExportFailure.class)
        .hasMessageStartingWith("TULA-88 ")
        .hasMessageContaining("ERR_EXPORT_GROUP_CONFLICT")
        .hasMessageContaining("sub-code " + subCode);
  }

  private void assertStillAGroupOf(int count) {
    ledger.outliveLeases(count);
    await(() -> ledger.leased().size() == count);
    await(() -> worker.attribute(0, "PartitionGroupStatus").equals(1));
    assertThat(worker.failure(0)).isEmpty();
  }

  private void awaitHead(int count) {
    for (int partition = 0; partition < count; partition++) {
      int each = partition;
      await(
          () -> {
            List<StreamItem> items = worker.topic.items(each);
            return !items.isEmpty()
                && items.get(items.size() - 1).provesTo().equals(ledger.cluster.head());
          });
    }
  }

  private List<CanonicalRow> rows(int partition) {
    List<CanonicalRow> rows = new ArrayList<>();
    for (StreamItem item : worker.topic.items(partition)) {
      if (item instanceof StreamItem.Row row) {
        rows.add(row.row());
      }
    }
    return rows;
  }
}
