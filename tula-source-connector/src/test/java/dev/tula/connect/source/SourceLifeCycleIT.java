package dev.tula.connect.source;

import static dev.tula.connect.source.SourceOnConnect.await;
import static dev.tula.connect.source.SourceOnConnect.offset;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.LedgerConverter;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.queryport.QueryPortConfig;
import dev.tula.connect.refnode.ReferenceCluster;
import dev.tula.connect.refnode.cluster.ExportSettings;
import dev.tula.connect.refnode.history.RecordForm;
import dev.tula.connect.refnode.truth.StreamTruth;
import dev.tula.connect.refnode.truth.TruthReader;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.connect.util.clusters.EmbeddedConnectCluster;
import org.apache.kafka.connect.util.clusters.WorkerHandle;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What Connect, or whoever speaks to its REST API, may do to a source connector that runs: whatever
 * it is, the topic tells no lie. Restarts are in {@link SourceConnectorIT}, and a worker that is
 * killed is in the local stack's tests.
 */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class SourceLifeCycleIT {
  private static final long LEASE_MS = 1_500;

  /** Of a holder that stands still for a moment, and must not lose it. */
  private static final long LONG_LEASE_MS = 60_000;

  private static SourceOnConnect workers;
  private static EmbeddedConnectCluster connect;

  private ReferenceCluster ledger;

  @BeforeAll
  static void start() {
    workers = SourceOnConnect.start("life-cycle", Map.of("scheduled.rebalance.max.delay.ms", "0"));
    connect = workers.connect();
  }

  @AfterAll
  static void stop() {
    if (workers != null) {
      workers.close();
    }
  }

  @AfterEach
  void clear() {
    connect.connectors().forEach(workers::delete);
    if (ledger != null) {
      ledger.close();
    }
  }

  @Test
  @DisplayName("I4: a paused connector sends nothing, keeps its lease, and goes on acknowledging")
  void a_paused_connector_keeps_its_lease_and_its_acks_and_goes_on_where_it_was() throws Exception {
    ledgerOf(2_000);
    configure("paused", 1, Map.of(SourceConfig.QUEUE_MAX_BYTES, Integer.toString(1 << 20)));
    connect.kafka().createTopic("paused.checkpoints", 1, 1, Map.of("cleanup.policy", "compact"));
    await(() -> workers.isAtOrAfter("paused", 3));
    connect.pauseConnector("paused");
    await(() -> has("paused", "PAUSED"));
    int sent = workers.read("data-paused", 0, new LedgerConverter()).size();

    ledger.advance(6_000);
    ledger.faults().dropLeases();
    await(() -> leaseOwners().equals(Set.of("paused-0")));
    workers.publish(
        "paused.checkpoints",
        SourceOnConnect.checkpoint(new EventIdentity("paused", ledger.clusterId(), 1, 0, 1), 2, 1));
    await(() -> ledger.acks().stream().anyMatch(ack -> ack.accepted()));
    assertThat(workers.read("data-paused", 0, new LedgerConverter())).hasSize(sent);

    connect.resumeConnector("paused");
    workers.assertTopicEqualsTruth(ledger, "data-paused", 1);
  }

  @Test
  void a_stopped_connector_gives_its_lease_up_and_goes_on_from_its_offset() throws Exception {
    ledgerOf(2_000);
    configure("stopped", 1, Map.of());
    await(() -> workers.isAtOrAfter("stopped", 3));
    connect.stopConnector("stopped");
    await(() -> workers.isStopped("stopped"));
    ledger.advance(1_000);
    await(() -> leaseOwners().isEmpty());
    connect.resumeConnector("stopped");
    workers.assertTopicEqualsTruth(ledger, "data-stopped", 1);
  }

  @Test
  void a_worker_that_joins_and_one_that_leaves_move_tasks_without_a_gap_or_a_double()
      throws Exception {
    ledgerOf(2_000);
    configure("moved", 2, Map.of(SourceConfig.PAGE_MAX_RECORDS, "200"));
    await(() -> workers.isRunning("moved", 2));
    ledger.startLoad(ledger.rows() + 1_000_000, 1_000);
    WorkerHandle second = connect.addWorker();
    await(() -> workers.isRunning("moved", 2) && workersOf("moved").size() == 2);
    connect.removeWorker(second);
    await(() -> workers.isRunning("moved", 2) && workersOf("moved").size() == 1);
    ledger.pauseLoad();
    workers.assertTopicEqualsTruth(ledger, "data-moved", 2);
  }

  @Test
  void another_number_of_tasks_deals_the_partitions_anew_without_a_gap_or_a_double()
      throws Exception {
    ledgerOf(2_000);
    Map<String, String> properties =
        configure("dealt", 3, Map.of("tasks.max", "1", SourceConfig.PAGE_MAX_RECORDS, "200"));
    await(() -> workers.isRunning("dealt", 1));
    ledger.startLoad(ledger.rows() + 1_000_000, 1_000);
    for (int tasks : new int[] {3, 2}) {
      properties.put("tasks.max", Integer.toString(tasks));
      workers.configure("dealt", properties);
      await(() -> workers.isRunning("dealt", tasks));
    }
    ledger.pauseLoad();
    workers.assertTopicEqualsTruth(ledger, "data-dealt", 3);
  }

  @Test
  void a_connector_deleted_and_created_again_under_its_name_goes_on_from_its_offsets()
      throws Exception {
    ledgerOf(2_000);
    configure("again", 2, Map.of());
    await(() -> workers.isAtOrAfter("again", 3));
    workers.delete("again");
    ledger.advance(1_000);
    configure("again", 2, Map.of());
    workers.assertTopicEqualsTruth(ledger, "data-again", 2);
  }

  @Test
  @DisplayName(
      "I7: offsets that were reset send everything again from the start position, or fail with 87"
          + " where that is gone; set to the watermark they go on")
  void reset_offsets_send_everything_again_or_fail_with_87_until_they_are_set() throws Exception {
    ledgerOf(2_000);
    configure("reset", 1, Map.of());
    workers.assertTopicEqualsTruth(ledger, "data-reset", 1);
    long rows = verdict("reset").rows();
    resetAndResume("reset");
    await(() -> verdict("reset").replayed() == rows);
    assertThat(verdict("reset").problem()).isEmpty();
    await(() -> workers.isAtOrAfter("reset", ledger.head().globalBatchSeq()));

    ledger.faults().advanceFloor(Position.batchEnd(3));
    resetAndResume("reset");
    await(() -> workers.failure("reset").isPresent());
    assertThat(workers.failure("reset").orElseThrow())
        .startsWith("TULA-87 ")
        .contains("(0:2147483647, 3:2147483647]");
    assertThat(verdict("reset").replayed()).as("nothing more was sent").isEqualTo(rows);

    connect.stopConnector("reset");
    await(() -> workers.isStopped("reset"));
    workers.alter(
        "reset",
        new SourcePartition("reset", 1, 0, 1).asMap(),
        offset(ledger.head().toString(), ledger.clusterId()));
    ledger.advance(500);
    connect.resumeConnector("reset");
    await(() -> verdict("reset").provenTo().equals(ledger.head()));
    assertThat(verdict("reset").problem()).isEmpty();
    assertThat(verdict("reset").replayed()).isEqualTo(rows);
  }

  @Test
  @DisplayName("C12: an offset set ahead leaves a gap that the very next item shows")
  void an_offset_set_ahead_leaves_a_gap_that_the_next_item_shows() throws Exception {
    ledgerOf(2_000);
    configure("ahead", 1, Map.of());
    workers.assertTopicEqualsTruth(ledger, "data-ahead", 1);
    connect.stopConnector("ahead");
    await(() -> workers.isStopped("ahead"));
    ledger.advance(500);
    workers.alter(
        "ahead",
        new SourcePartition("ahead", 1, 0, 1).asMap(),
        offset(ledger.head().toString(), ledger.clusterId()));
    connect.resumeConnector("ahead");
    await(() -> verdict("ahead").problem().isPresent());
    assertThat(verdict("ahead").problem().orElseThrow()).contains("a gap (C12)");
  }

  @Test
  void a_second_connector_of_a_pipeline_is_refused_with_88_and_the_first_is_unharmed()
      throws Exception {
    ledgerOf(2_000, LONG_LEASE_MS);
    configure("first", 2, Map.of());
    await(() -> workers.isAtOrAfter("first", 3));
    configure(
        "second",
        2,
        Map.of(
            SourceConfig.PIPELINE,
            "first",
            SourceConfig.TOPIC,
            "data-first",
            QueryPortConfig.RETRY_INDEX_TAKEN_TIMEOUT_MS,
            "500"));
    await(() -> workers.failure("second").isPresent());
    assertThat(workers.failure("second").orElseThrow())
        .startsWith("TULA-88 ")
        .contains("is held by first-", "not by second-")
        .contains("under another connector name; stop it or give this one another tula.pipeline");
    ledger.advance(1_000);
    workers.assertTopicEqualsTruth(ledger, "data-first", 2);
    assertThat(workers.isRunning("first", 2)).isTrue();
  }

  @Test
  @DisplayName("KIP-618: wherever transactions end, restarts leave no gap and no double")
  void restarts_leave_no_gap_and_no_double_wherever_transactions_end() throws Exception {
    ledgerOf(2_000);
    List<String> boundaries = List.of("poll", "interval", "connector");
    for (String boundary : boundaries) {
      configure(
          boundary,
          1,
          Map.of(
              "exactly.once.support",
              "required",
              "transaction.boundary",
              boundary,
              "transaction.boundary.interval.ms",
              "200",
              SourceConfig.PAGE_MAX_RECORDS,
              "100",
              SourceConfig.POLL_MAX_RECORDS,
              "30"));
    }
    ledger.startLoad(ledger.rows() + 1_000_000, 1_000);
    for (int restart = 1; restart <= 2; restart++) {
      for (String boundary : boundaries) {
        long before = workers.lastOffsetOf(boundary).orElse(0L);
        await(() -> workers.isAtOrAfter(boundary, before + 1));
        connect.restartConnectorAndTasks(boundary, false, true, false);
      }
    }
    ledger.pauseLoad();
    for (String boundary : boundaries) {
      workers.assertTopicEqualsTruth(ledger, "data-" + boundary, 1);
    }
  }

  private void ledgerOf(long rows) {
    ledgerOf(rows, LEASE_MS);
  }

  private void ledgerOf(long rows, long leaseMs) {
    ledger =
        ReferenceCluster.builder()
            .seed(17)
            .rows(rows)
            .exportSettings(ExportSettings.DEFAULT.withLeaseTtlMs(leaseMs))
            .start();
  }

  private Map<String, String> configure(
      String name, int partitionCount, Map<String, String> settings) {
    Map<String, String> properties = workers.properties(name, ledger, partitionCount);
    properties.putAll(settings);
    workers.configure(name, properties);
    return properties;
  }

  private static boolean has(String connector, String state) {
    var tasks = connect.connectorStatus(connector).tasks();
    return !tasks.isEmpty() && tasks.stream().allMatch(task -> state.equals(task.state()));
  }

  private static Set<String> workersOf(String connector) {
    return connect.connectorStatus(connector).tasks().stream()
        .map(task -> task.workerId())
        .collect(Collectors.toSet());
  }

  private Set<String> leaseOwners() {
    return ledger.cluster().status(ledger.cluster().leader()).leases().stream()
        .map(lease -> lease.owner())
        .collect(Collectors.toSet());
  }

  private static void resetAndResume(String connector) throws Exception {
    connect.stopConnector(connector);
    await(() -> workers.isStopped(connector));
    assertThat(connect.resetConnectorOffsets(connector)).contains("successfully");
    assertThat(connect.connectorOffsets(connector).offsets()).isEmpty();
    connect.resumeConnector(connector);
  }

  /** What the only partition of a connector's topic holds just now. */
  private StreamTruth verdict(String connector) {
    List<StreamItem> items = workers.read("data-" + connector, 0, new LedgerConverter());
    try (TruthReader truth = ledger.truth(0, 1, RecordForm.NARROW)) {
      return StreamTruth.of(items, truth);
    }
  }
}
