package dev.tula.connect.source;

import static dev.tula.connect.source.SmallWorker.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.ConnectRecords;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.queryport.Clock;
import dev.tula.connect.queryport.ExportFailure;
import dev.tula.connect.queryport.QueryPortConfig;
import dev.tula.connect.refnode.ReferenceCluster;
import dev.tula.connect.refnode.cluster.AckEvent;
import dev.tula.connect.refnode.cluster.ExportSettings;
import dev.tula.connect.refnode.history.RecordForm;
import dev.tula.connect.refnode.truth.TruthReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.MockAdminClient;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A whole task, without Connect, on three nodes of a real ledger. */
@Timeout(300)
class TaskOnClusterTest {
  private final MockAdminClient admin = MockAdminClient.create().numBrokers(1).build();
  private final CheckpointsDouble checkpoints = new CheckpointsDouble();
  private final List<SourceRecord> records = new ArrayList<>();
  private ReferenceCluster ledger;
  private Map<String, String> properties;
  private StartedSourceTask task;

  @AfterEach
  void stop() {
    if (task != null) {
      task.stop();
    }
    if (ledger != null) {
      for (int node = 0; node < 3; node++) {
        int each = node;
        await(() -> ledger.connections(each) == 0);
      }
      ledger.close();
    }
  }

  @Test
  void after_each_change_of_the_leader_rows_go_on_and_the_ack_is_given_anew() throws Exception {
    ledger(ExportSettings.DEFAULT);
    properties.put(SourceConfig.PAGE_MAX_RECORDS, "50");
    start(Map.of());
    checkpoint(3);
    for (int change = 1; change <= 3; change++) {
      long term = change;
      await(() -> !acksIn(term).isEmpty());
      if (change == 2) {
        ledger.faults().restartNode(ledger.cluster().leader());
      } else {
        ledger.faults().switches().tearFrames(1);
        ledger.faults().changeLeader();
      }
      ledger.advance(100);
      pollToHead();
    }
    await(() -> !acksIn(4).isEmpty());
    assertThat(accepted()).allMatch(ack -> ack.through().equals(Position.batchEnd(3)));
    assertThat(rows()).isEqualTo(truth());
  }

  @Test
  void with_leases_off_a_lone_task_goes_on_is_flagged_and_keeps_its_credit() throws Exception {
    ledger(ExportSettings.DEFAULT.withLeaseTtlMs(0));
    start(Map.of());
    pollToHead();
    assertThat(rows()).isEqualTo(truth());
    assertThat((long) attribute("ExportNoLeaseTotal")).isPositive();
    assertThat(attribute("ExportCursorDetached")).isEqualTo(1);
    checkpoint(3);
    await(() -> !accepted().isEmpty());
    assertThat(accepted().get(0).credited()).isEqualTo(Position.batchEnd(3));
  }

  @Test
  void with_leases_off_a_group_reads_on_and_the_metric_says_that_its_acks_earn_nothing()
      throws Exception {
    ledger(ExportSettings.DEFAULT.withLeaseTtlMs(0));
    partitions(2);
    start(Map.of());
    await(() -> "3".equals(String.valueOf(attribute("PartitionGroupStatus"))));
    checkpoint(4);
    await(() -> !accepted().isEmpty());
    assertThat(accepted()).allMatch(ack -> ack.credited().equals(Position.ORIGIN));
  }

  @Test
  void a_full_lease_table_is_a_flag_for_a_lone_task_and_88_for_a_group() throws Exception {
    ledger(ExportSettings.DEFAULT);
    ledger.faults().switches().leaseTableFull(true);
    start(Map.of());
    pollToHead();
    assertThat(rows()).isEqualTo(truth());
    assertThat((long) attribute("ExportNoLeaseTotal")).isPositive();
    task.stop();
    partitions(2);
    start(Map.of());
    assertFails("TULA-88 ", "lease table is full", "sub-code 4");
  }

  @Test
  void a_hold_that_pressure_released_is_flagged_and_a_range_that_then_goes_is_87_again_and_again()
      throws Exception {
    ledger(ExportSettings.DEFAULT.withLeaseMaxHoldBatches(2));
    start(Map.of());
    pollToHead();
    assertThat((long) attribute("ExportHoldReleasedTotal")).isPositive();
    assertThat(rows()).as("advice stops nothing").isEqualTo(truth());
    SourceOffset offset = (SourceOffset) records.get(2).sourceOffset();
    task.stop();
    ledger.faults().advanceFloor(Position.batchEnd(6));
    for (int restart = 0; restart < 2; restart++) {
      start(Map.of(0, offset));
      assertFails("TULA-87 ", "(" + offset.position() + ", 6:2147483647]");
      task.stop();
    }
  }

  @Test
  void a_follower_is_read_on_request_only_and_never_acked() throws Exception {
    ledger(ExportSettings.DEFAULT);
    properties.put(QueryPortConfig.HOSTS, ledger.addresses().get(1));
    properties.put(QueryPortConfig.RETRY_TIMEOUT_MS, "200");
    properties.put(QueryPortConfig.RETRY_BACKOFF_MAX_MS, "100");
    start(Map.of());
    assertFails("no node of", "it is a FOLLOWER");
    task.stop();
    properties.put(SourceConfig.ALLOW_FOLLOWER_READS, "true");
    checkpoint(3);
    start(Map.of());
    pollToHead();
    assertThat(rows()).isEqualTo(truth());
    assertThat(ledger.acks()).isEmpty();
    assertThat(attribute("Leader")).isEqualTo(ledger.addresses().get(1));
  }

  @Test
  void two_tasks_of_one_partition_under_two_names_never_read_at_the_same_time() throws Exception {
    ledger(ExportSettings.DEFAULT);
    start(Map.of());
    pollToHead();
    StartedSourceTask first = task;
    try {
      properties.put(SourceConfig.NAME, "another");
      properties.put(QueryPortConfig.RETRY_INDEX_TAKEN_TIMEOUT_MS, "100");
      start(Map.of());
      assertFails("TULA-88 ", "under another connector name");
    } finally {
      first.stop();
    }
  }

  private void ledger(ExportSettings settings) {
    ledger =
        ReferenceCluster.builder()
            .nodes(3)
            .seed(31)
            .rows(400)
            .maxBatchRecords(20)
            .exportSettings(settings)
            .start();
    properties = Configs.ofTask(1, "0");
    properties.put(QueryPortConfig.HOSTS, String.join(",", ledger.addresses()));
    properties.put(QueryPortConfig.CLUSTER_ID, ledger.clusterId());
    properties.put(SourceConfig.FETCH_WAIT_MS, "50");
  }

  /** The data topic of before is another one. */
  private void partitions(int count) {
    properties.put(SourceConfig.PARTITION_COUNT, Integer.toString(count));
    properties.put(SourceConfig.PIPELINE, "p" + count);
    properties.put(SourceConfig.TOPIC, "data" + count);
  }

  private void start(Map<Integer, SourceOffset> offsets) {
    records.clear();
    SourceConfig config = new SourceConfig(properties);
    Collaborators collaborators =
        new Collaborators(
            config.queryPort().factory(),
            () -> new TopicAdmin(admin, 1_000),
            checkpoints::open,
            new DataTopicDouble()::look,
            Clock.system());
    task = StartedSourceTask.start(config, new HashMap<>(offsets), Optional.empty(), collaborators);
  }

  private void checkpoint(long batch) {
    checkpoints.checkpoint(new SourceConfig(properties).identity(0), batch);
  }

  private void pollToHead() throws InterruptedException {
    while (records.isEmpty() || !last().equals(ledger.head())) {
      records.addAll(Optional.ofNullable(task.poll()).orElse(List.of()));
    }
  }

  private Position last() {
    return ((SourceOffset) records.get(records.size() - 1).sourceOffset()).position();
  }

  private void assertFails(String start, String... words) {
    assertThatExceptionOfType(ExportFailure.class)
        .isThrownBy(
            () -> {
              while (true) {
                task.poll();
              }
            })
        .withMessageStartingWith(start)
        .satisfies(failure -> assertThat(failure.getMessage()).contains(words));
  }

  private List<AckEvent> accepted() {
    return ledger.acks().stream().filter(AckEvent::accepted).toList();
  }

  private List<AckEvent> acksIn(long term) {
    return accepted().stream().filter(ack -> ack.term() == term).toList();
  }

  private List<CanonicalRow> rows() {
    List<CanonicalRow> rows = new ArrayList<>();
    for (SourceRecord record : records) {
      StreamItem item = ConnectRecords.fromConnect(record.valueSchema(), record.value());
      if (item instanceof StreamItem.Row row) {
        rows.add(row.row());
      }
    }
    return rows;
  }

  private List<CanonicalRow> truth() {
    try (TruthReader reader = ledger.truth(RecordForm.NARROW)) {
      return reader.remaining();
    }
  }

  private Object attribute(String name) {
    return TaskBean.attribute(properties.get(SourceConfig.NAME), 0, name);
  }
}
