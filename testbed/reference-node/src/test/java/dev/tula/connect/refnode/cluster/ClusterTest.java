package dev.tula.connect.refnode.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.wire.ErrorCode;
import dev.tula.connect.model.wire.Message.Ack;
import dev.tula.connect.model.wire.Message.Fetch;
import dev.tula.connect.model.wire.Message.FetchOptions;
import dev.tula.connect.refnode.ReferenceCluster;
import dev.tula.connect.refnode.engine.AccountFlags;
import dev.tula.connect.refnode.engine.AccountSpec;
import dev.tula.connect.refnode.engine.EngineRefusal;
import dev.tula.connect.refnode.engine.Id128;
import dev.tula.connect.refnode.engine.LedgerMode;
import dev.tula.connect.refnode.history.RecordForm;
import dev.tula.connect.refnode.truth.Layout;
import dev.tula.connect.refnode.truth.TruthReader;
import dev.tula.connect.refnode.truth.TruthTotals;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class ClusterTest {
  private static final FetchOptions LEASE = new FetchOptions(false, false, true, false, false);
  private static final FetchOptions GROUP = new FetchOptions(false, false, true, true, false);
  private static final long HOUR_MICROS = 3_600_000_000L;

  @TempDir private Path directory;

  private ReferenceCluster.Builder builder() {
    return ReferenceCluster.builder().seed(7).maxBatchRecords(50).dir(directory);
  }

  private static void read(ReferenceCluster cluster, Position after) throws InterruptedException {
    Fetch fetch = new Fetch("p", 1, 0, 1, after, Optional.empty(), 1, 1, 0, LEASE);
    cluster.cluster().fetch(cluster.cluster().leader(), context(cluster, "reader"), fetch);
  }

  private static Cluster.ReadContext context(ReferenceCluster cluster, String client) {
    return cluster.cluster().readContext(client, 1 << 20);
  }

  private static Ack ack(Position through, long term) {
    return new Ack("p", 1, 0, 1, through, term);
  }

  private static String sha256(ReferenceCluster cluster) {
    try (TruthReader truth = cluster.truth(RecordForm.FULL)) {
      return TruthTotals.of(truth, Layout.SHARED).sha256();
    }
  }

  @Test
  void a_restarted_cluster_holds_the_same_ledger_in_a_new_term() {
    String before;
    Position floor = Position.batchEnd(3);
    try (ReferenceCluster cluster = builder().nodes(2).rows(500).start()) {
      cluster.faults().changeLeader();
      cluster.faults().advanceFloor(floor);
      assertThat(cluster.cluster().term()).isEqualTo(2);
      before = sha256(cluster);
    }
    try (ReferenceCluster cluster = builder().nodes(2).rows(500).start()) {
      assertThat(sha256(cluster)).isEqualTo(before);
      assertThat(cluster.cluster().term()).isEqualTo(3);
      assertThat(cluster.cluster().leader()).isEqualTo(1);
      assertThat(cluster.cluster().floor()).isEqualTo(floor);
      assertThat(cluster.rows()).isEqualTo(500);
    }
  }

  @Test
  void the_truth_is_the_same_with_faults_and_without() {
    String quiet;
    try (ReferenceCluster cluster =
        ReferenceCluster.builder().nodes(3).seed(4).maxBatchRecords(50).start()) {
      cluster.advance(1000);
      cluster.advance(1000);
      quiet = sha256(cluster);
    }
    try (ReferenceCluster cluster =
        ReferenceCluster.builder().nodes(3).seed(4).maxBatchRecords(50).start()) {
      cluster.advance(1000);
      cluster.faults().changeLeader();
      cluster.faults().restartNode(1);
      cluster.faults().dropLeases();
      cluster.faults().advanceFloor(cluster.head());
      cluster.advance(1000);
      assertThat(sha256(cluster)).isEqualTo(quiet);
    }
  }

  @Test
  void a_history_of_another_seed_or_cluster_is_not_continued() {
    builder().rows(100).start().close();
    assertThatThrownBy(() -> builder().seed(8).start())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("seed=7");
    assertThatThrownBy(() -> builder().clusterId("other").start())
        .hasMessageContaining("belongs to cluster");
    builder().start().close();
  }

  @Test
  void leases_outlive_the_process_if_they_are_durable_and_only_then() throws InterruptedException {
    for (boolean durable : new boolean[] {true, false}) {
      ReferenceCluster.Builder builder =
          builder()
              .rows(200)
              .dir(directory.resolve("durable-" + durable))
              .exportSettings(ExportSettings.DEFAULT.withLeaseDurable(durable));
      try (ReferenceCluster cluster = builder.start()) {
        read(cluster, Position.batchEnd(2));
      }
      try (ReferenceCluster cluster = builder.start()) {
        assertThat(cluster.cluster().status(0).leases()).hasSize(durable ? 1 : 0);
      }
    }
  }

  @Test
  void every_ack_is_logged_with_what_came_of_it() throws IOException, InterruptedException {
    try (ReferenceCluster cluster = builder().nodes(2).rows(300).start()) {
      read(cluster, Position.batchEnd(2));
      cluster.cluster().ack(0, "reader", ack(Position.batchEnd(2), 1));
      assertThatThrownBy(() -> cluster.cluster().ack(1, "reader", ack(Position.batchEnd(3), 1)))
          .isInstanceOf(QueryPortException.class);
      cluster.faults().changeLeader(0);
      assertThatThrownBy(() -> cluster.cluster().ack(0, "reader", ack(Position.batchEnd(3), 1)))
          .isInstanceOf(QueryPortException.class);
    }
    List<String> lines = Files.readAllLines(directory.resolve(AckLog.NAME));
    assertThat(lines).hasSize(3);
    JsonNode first = new ObjectMapper().readTree(lines.get(0));
    assertThat(first.get("node").asText()).isEqualTo("node-1");
    assertThat(first.get("pipeline").asText()).isEqualTo("p");
    assertThat(first.get("through").asText()).isEqualTo(Position.batchEnd(2).toString());
    assertThat(first.get("credited").asText()).isEqualTo(Position.batchEnd(2).toString());
    assertThat(first.get("accepted").asBoolean()).isTrue();
    assertThat(lines.subList(1, 3)).allMatch(line -> line.contains("\"accepted\":false"));
  }

  @Test
  void history_is_reclaimed_by_age_but_not_beyond_what_was_acked() throws InterruptedException {
    ReferenceCluster.Builder builder =
        builder().rows(300).exportSettings(ExportSettings.DEFAULT.withRetention(1, true));
    try (ReferenceCluster cluster = builder.start()) {
      cluster.ledger().pass(2 * HOUR_MICROS);
      cluster.cluster().reclaim();
      assertThat(cluster.cluster().floor()).as("nobody acks").isEqualTo(Position.ORIGIN);

      read(cluster, cluster.head());
      cluster.cluster().ack(0, "reader", ack(new Position(4, 2), 1));
      cluster.cluster().reclaim();
      assertThat(cluster.cluster().floor()).as("whole batches").isEqualTo(Position.batchEnd(3));
    }
  }

  @Test
  void history_is_purged_to_exactly_what_every_pipeline_acked_the_leader_in_its_term()
      throws InterruptedException {
    ReferenceCluster.Builder builder =
        builder().nodes(3).rows(600).exportSettings(ExportSettings.DEFAULT.withRetention(1, true));
    try (ReferenceCluster cluster = builder.start()) {
      cluster.ledger().pass(2 * HOUR_MICROS);
      readAndAck(cluster, "slow", 0, 1, LEASE, 3);
      readAndAck(cluster, "fast", 0, 1, LEASE, 7);
      assertThat(purged(cluster)).as("the slowest counts").isEqualTo(Position.batchEnd(3));
      readAndAck(cluster, "slow", 0, 1, LEASE, 5);
      assertThat(purged(cluster)).isEqualTo(Position.batchEnd(5));

      readAndAck(cluster, "grouped", 0, 2, GROUP, 6);
      assertThat(purged(cluster))
          .as("a group with a member missing earns nothing, and so keeps what is there")
          .isEqualTo(Position.batchEnd(5));
      readAndAck(cluster, "grouped", 1, 2, GROUP, 8);
      readAndAck(cluster, "slow", 0, 1, LEASE, 7);
      assertThat(purged(cluster)).as("its lowest member").isEqualTo(Position.batchEnd(6));

      cluster.faults().changeLeader();
      readAndAck(cluster, "fast", 0, 1, LEASE, 9);
      assertThat(purged(cluster))
          .as("in a new term the others have no credit until they ack again")
          .isEqualTo(Position.batchEnd(6));
      readAndAck(cluster, "slow", 0, 1, LEASE, 9);
      readAndAck(cluster, "grouped", 0, 2, GROUP, 9);
      readAndAck(cluster, "grouped", 1, 2, GROUP, 8);
      assertThat(purged(cluster)).isEqualTo(Position.batchEnd(8));
    }
  }

  private static void readAndAck(
      ReferenceCluster cluster,
      String pipeline,
      int partition,
      int count,
      FetchOptions options,
      long throughBatch)
      throws InterruptedException {
    Cluster nodes = cluster.cluster();
    Fetch fetch =
        new Fetch(
            pipeline, 1, partition, count, cluster.head(), Optional.empty(), 1, 1, 0, options);
    String client = pipeline + "-" + partition;
    nodes.fetch(nodes.leader(), context(cluster, client), fetch);
    Ack ack = new Ack(pipeline, 1, partition, count, Position.batchEnd(throughBatch), nodes.term());
    nodes.ack(nodes.leader(), client, ack);
  }

  private static Position purged(ReferenceCluster cluster) {
    cluster.cluster().reclaim();
    return cluster.cluster().floor();
  }

  @Test
  void a_leader_that_is_cut_off_answers_on_and_what_it_takes_counts_nowhere()
      throws InterruptedException {
    ReferenceCluster.Builder builder =
        builder().nodes(3).rows(300).exportSettings(ExportSettings.DEFAULT.withRetention(1, true));
    try (ReferenceCluster cluster = builder.start()) {
      cluster.ledger().pass(2 * HOUR_MICROS);
      Position end = cluster.head();
      assertThat(cluster.faults().cutOffLeader()).isZero();
      cluster.advance(100);
      assertThat(cluster.cluster().standing(0).term()).isEqualTo(1);
      assertThat(cluster.cluster().standing(0).head()).isEqualTo(end);
      assertThat(cluster.cluster().standing(1).term()).isEqualTo(2);
      Fetch fetch = new Fetch("p", 1, 0, 1, end, Optional.empty(), 1, 1, 0, LEASE);
      assertThat(cluster.cluster().fetch(0, context(cluster, "reader"), fetch).records()).isEmpty();
      cluster.cluster().ack(0, "reader", ack(end, 1));
      cluster.cluster().reclaim();
      assertThat(cluster.cluster().floor()).isEqualTo(Position.ORIGIN);
      assertThat(cluster.cluster().status(1).leases()).isEmpty();
      cluster.faults().reconnect(0);
      assertThat(cluster.cluster().standing(0).term()).isEqualTo(2);
    }
  }

  @Test
  void a_lease_holds_what_age_alone_would_reclaim() throws InterruptedException {
    ReferenceCluster.Builder builder =
        builder().rows(300).exportSettings(ExportSettings.DEFAULT.withRetention(1, false));
    try (ReferenceCluster cluster = builder.start()) {
      read(cluster, Position.batchEnd(2));
      cluster.ledger().pass(2 * HOUR_MICROS);
      cluster.cluster().reclaim();
      assertThat(cluster.cluster().floor()).isEqualTo(Position.batchEnd(2));

      cluster.faults().switches().holdsReleased(true);
      cluster.cluster().reclaim();
      assertThat(cluster.cluster().floor()).isEqualTo(cluster.head());
    }
  }

  @Test
  void history_that_is_young_enough_stays() {
    ReferenceCluster.Builder builder =
        builder().rows(300).exportSettings(ExportSettings.DEFAULT.withRetention(1, false));
    try (ReferenceCluster cluster = builder.start()) {
      cluster.cluster().reclaim();
      assertThat(cluster.cluster().floor()).isEqualTo(Position.ORIGIN);
    }
  }

  @Test
  void the_floor_moves_forward_to_ends_of_batches_only() {
    try (ReferenceCluster cluster = builder().rows(300).start()) {
      cluster.faults().advanceFloor(Position.batchEnd(4));
      for (Position bad :
          List.of(
              Position.batchEnd(3),
              new Position(5, 1),
              Position.batchEnd(cluster.head().globalBatchSeq() + 1))) {
        assertThatThrownBy(() -> cluster.faults().advanceFloor(bad))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(bad.toString());
      }
    }
  }

  @Test
  void a_batch_of_ones_own_becomes_part_of_the_ledger() throws InterruptedException {
    Id128 account = new Id128(1, 2);
    try (ReferenceCluster cluster = builder().rows(100).start()) {
      Position end =
          cluster.submit(
              engine -> {
                engine.putLedger(50, "mine", LedgerMode.DEFAULT, List.of("USD"));
                engine.createAccount(AccountSpec.of(account, 50, "USD", AccountFlags.SYSTEM));
              });
      assertThat(end).isEqualTo(cluster.head());
      assertThat(cluster.rows()).isEqualTo(102);
      assertThatThrownBy(
              () ->
                  cluster.submit(
                      engine -> {
                        engine.closeAccount(account);
                        engine.closeAccount(account);
                      }))
          .isInstanceOf(EngineRefusal.class);
      assertThat(cluster.rows()).as("what came before the refusal is committed").isEqualTo(103);
      cluster.advance(100);
      assertThat(cluster.rows()).isEqualTo(203);
    }
    builder().start().close();
  }

  @Test
  void an_idle_ledgers_time_goes_on_where_that_is_asked_for() throws InterruptedException {
    try (ReferenceCluster cluster = builder().rows(100).idleTickMs(1).start()) {
      Cluster nodes = cluster.cluster();
      Position head = cluster.head();
      long before = cluster.ledger().closedThroughMicros(head);
      Fetch fetch = new Fetch("p", 1, 0, 1, head, Optional.of(head), 1, 1, 0, LEASE);
      Cluster.ReadContext context = context(cluster, "reader");
      long after = before;
      for (int tries = 0; after == before && tries < 100_000; tries++) {
        after = nodes.fetch(0, context, fetch).closedThroughMicros();
        Thread.onSpinWait();
      }
      while (cluster.ledger().closedThroughMicros(head) == before) {
        Thread.onSpinWait();
      }
      cluster.advance(1);
      assertThat(cluster.ledger().closedThroughMicros(head)).isGreaterThan(before);
      List<CanonicalRow> rows = rowsAfter(cluster, head);
      assertThat(rows.get(0).recordedAtMicros()).isGreaterThan(before);
    }
  }

  private static List<CanonicalRow> rowsAfter(ReferenceCluster cluster, Position after)
      throws InterruptedException {
    FetchOptions all = new FetchOptions(true, false, false, false, false);
    Fetch fetch = new Fetch("q", 1, 0, 1, after, Optional.empty(), 1000, 1 << 20, 0, all);
    return cluster.cluster().fetch(0, context(cluster, "other"), fetch).records();
  }

  @Test
  void a_load_reaches_its_rows_and_can_be_paused() throws InterruptedException {
    try (ReferenceCluster cluster = builder().start()) {
      cluster.startLoad(Long.MAX_VALUE, 2000);
      cluster.pauseLoad();
      assertThat(cluster.isLoading()).isTrue();
      assertThat(cluster.isLoadPaused()).isTrue();
      assertThat(cluster.awaitLoad(1)).isFalse();
      cluster.resumeLoad();
      while (cluster.rows() < 300) {
        Thread.onSpinWait();
      }
    }
    try (ReferenceCluster cluster = builder().start()) {
      long target = cluster.rows() + 5000;
      cluster.startLoad(target, 0);
      assertThat(cluster.awaitLoad(120_000)).isTrue();
      assertThat(cluster.rows()).isEqualTo(target);
      assertThatThrownBy(() -> cluster.cluster().ack(0, "x", ack(new Position(1, 1), 99)))
          .isInstanceOfSatisfying(
              QueryPortException.class,
              e -> assertThat(e.reply().code()).isEqualTo(ErrorCode.ERR_BAD_REQUEST));
    }
  }
}
