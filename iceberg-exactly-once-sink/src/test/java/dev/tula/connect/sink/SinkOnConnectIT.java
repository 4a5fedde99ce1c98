package dev.tula.connect.sink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.model.event.ClearEvent;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.metrics.MBeanRegistration;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.events.EventTopicNames;
import dev.tula.connect.sink.events.KafkaEventLog;
import dev.tula.connect.sink.lake.IcebergCatalogs;
import dev.tula.connect.sink.lake.SqliteCatalog;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import javax.management.JMException;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.runtime.AbstractStatus;
import org.apache.kafka.connect.runtime.rest.entities.ConnectorStateInfo;
import org.apache.kafka.connect.runtime.rest.errors.ConnectRestException;
import org.apache.kafka.connect.util.clusters.EmbeddedConnectCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The sink in a real Connect cluster with a real broker and a real lake: what it commits, and what
 * makes it stop.
 */
class SinkOnConnectIT {
  private static final Duration LIMIT = Duration.ofSeconds(180);

  @TempDir Path dir;

  private static EmbeddedConnect embedded;
  private static EmbeddedConnectCluster connect;
  private static int tests;

  private String topic;
  private String connector;
  private final String watermark = "watermark";
  private final Namespace namespace = Namespace.of("ledger");
  private StreamIdentity identity;

  @BeforeAll
  static void startCluster() {
    embedded =
        new EmbeddedConnect(
            "sink-it",
            Map.of(
                "offset.flush.interval.ms", "500",
                "connector.client.config.override.policy", "All"));
    connect = embedded.cluster;
  }

  @AfterAll
  static void stopCluster() {
    if (embedded != null) {
      embedded.close();
    }
  }

  @BeforeEach
  void takeNames() {
    tests++;
    topic = "ledger" + tests;
    connector = "lake" + tests;
    identity = TestLedger.identity(0, 1);
  }

  @AfterEach
  void deleteConnector() {
    embedded.delete(connector);
  }

  private Map<String, String> config(int partitions) {
    Map<String, String> config = embedded.sinkConfig(topic);
    config.put("tasks.max", Integer.toString(partitions));
    config.put("tula.partition.count", Integer.toString(partitions));
    config.put("tula.commit.interval.ms", "300");
    config.putAll(catalog());
    return config;
  }

  private Map<String, String> catalog() {
    Map<String, String> config = new HashMap<>();
    SqliteCatalog.properties(dir)
        .forEach((key, value) -> config.put("iceberg.catalog." + key, value));
    return config;
  }

  /** Of those who open a new catalog at one time, all but one fail to make its tables. */
  private Catalog openCatalog() {
    List<Catalog> opened = new ArrayList<>();
    await(
        "the catalog",
        () -> {
          try {
            opened.add(IcebergCatalogs.build(new SinkConfig(config(1)).stock()));
          } catch (LakeException e) {
            assertThat(e.isRetriable()).as(e.getMessage()).isTrue();
          }
          return !opened.isEmpty();
        });
    return opened.get(0);
  }

  private void send(int partition, List<StreamItem> items) {
    embedded.send(topic, partition, items);
  }

  private static List<StreamItem> opening(StreamIdentity identity) {
    return List.of(
        TestLedger.start(identity),
        TestLedger.coverage(identity, Position.ORIGIN, Position.ORIGIN));
  }

  private static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("waiting for " + what).isLessThan(deadline);
      try {
        Thread.sleep(100);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }
  }

  private Position watermark(Catalog catalog, String table) {
    try {
      Table loaded = catalog.loadTable(TableIdentifier.of(Namespace.of("ledger"), table));
      String state = loaded.properties().get(TableState.PROPERTY);
      return state == null
          ? Position.ORIGIN
          : TableState.ofJson(state).to().orElse(Position.ORIGIN);
    } catch (org.apache.iceberg.exceptions.NoSuchTableException
        | org.apache.iceberg.exceptions.NoSuchNamespaceException e) {
      return Position.ORIGIN;
    }
  }

  private static List<String> rows(Catalog catalog, String... tables) throws Exception {
    List<String> rows = new ArrayList<>();
    for (String table : tables) {
      Table loaded = catalog.loadTable(TableIdentifier.of(Namespace.of("ledger"), table));
      try (CloseableIterable<Record> records = IcebergGenerics.read(loaded).build()) {
        for (Record entry : records) {
          rows.add(
              entry.getField("global_batch_seq")
                  + ":"
                  + entry.getField("array_index")
                  + "="
                  + entry.getField("amount"));
        }
      }
    }
    rows.sort(null);
    return rows;
  }

  private static String[] tables(String suffix) {
    List<String> tables = new ArrayList<>();
    for (String tier : List.of("", "tiered_")) {
      for (String kind : List.of("single_phase", "reserve", "resolution", "rejected")) {
        tables.add("transactions_" + tier + kind + suffix);
      }
    }
    return tables.toArray(String[]::new);
  }

  private static List<String> expected(
      long firstBatch, long lastBatch, int perBatch, int partition, int count) {
    List<String> rows = new ArrayList<>();
    for (long batch = firstBatch; batch <= lastBatch; batch++) {
      for (int i = 0; i < perBatch && batch % count == partition; i++) {
        rows.add(batch + ":" + i + "=" + (1 + batch * 1_000 + i));
      }
    }
    rows.sort(null);
    return rows;
  }

  private boolean failedWith(String text) {
    ConnectorStateInfo status;
    try {
      status = connect.connectorStatus(connector);
    } catch (ConnectRestException e) {
      return false; // a connector that was just made has no status yet
    }
    return status.tasks().stream()
        .anyMatch(
            task ->
                task.state().equals(AbstractStatus.State.FAILED.name())
                    && task.trace() != null
                    && task.trace().contains(text));
  }

  @Test
  @DisplayName(
      "I1, I2, C19: every row lands once, in the table of its kind, and a restart goes on from the watermark")
  void rows_land_once_and_a_restart_goes_on_from_the_watermark() throws Exception {
    connect.kafka().createTopic(topic, 1);
    send(0, opening(identity));
    send(0, TestLedger.page(identity, 1, 40, 25));
    embedded.configure(connector, config(1));
    Catalog catalog = openCatalog();
    await("the first page", () -> watermark(catalog, "watermark").equals(Position.batchEnd(40)));

    connect.restartTask(connector, 0);
    send(0, List.of(TestLedger.coverage(identity, Position.batchEnd(40), Position.batchEnd(40))));
    send(0, TestLedger.page(identity, 41, 60, 25));
    await("the second page", () -> watermark(catalog, "watermark").equals(Position.batchEnd(60)));

    assertThat(rows(catalog, tables(""))).isEqualTo(expected(1, 60, 25, 0, 1));
    assertThat(failedWith("TULA")).isFalse();
  }

  @Test
  @DisplayName("I6, C15: another cluster id on the same tables is 88, and nothing is written")
  void another_cluster_on_the_same_tables_is_refused() throws Exception {
    connect.kafka().createTopic(topic, 1);
    send(0, opening(identity));
    send(0, TestLedger.page(identity, 1, 5, 4));
    embedded.configure(connector, config(1));
    Catalog catalog = openCatalog();
    await("the first page", () -> watermark(catalog, "watermark").equals(Position.batchEnd(5)));
    embedded.delete(connector);
    long snapshots = snapshots(catalog);

    Map<String, String> other = config(1);
    other.put("tula.cluster.id", "cluster-b");
    embedded.configure(connector, other);

    await("TULA-88", () -> failedWith("TULA-88"));
    assertThat(snapshots(catalog)).isEqualTo(snapshots);
  }

  @Test
  @DisplayName(
      "I5: with leases a second sink waits and leaves the first alone, until that has ended")
  void a_second_sink_waits_for_the_lease_and_takes_over_once_it_is_free() throws Exception {
    Map<String, String> leased = config(1);
    leased.put("tula.fencing.enabled", "true");
    leased.put("tula.fencing.url", dir.resolve("leases-of-" + connector).toUri().toString());
    String second = connector + "-second";
    connect.kafka().createTopic(topic, 1);
    send(0, opening(identity));
    send(0, TestLedger.page(identity, 1, 5, 4));
    embedded.configure(connector, leased);
    Catalog catalog = openCatalog();
    await("the first page", () -> watermark(catalog, "watermark").equals(Position.batchEnd(5)));
    assertThat(metric(connector, "FencingActive")).contains(1);
    embedded.configure(second, leased);
    try {
      await(
          "the second to wait",
          () ->
              metric(second, "Phase")
                  .filter(phase -> phase.toString().contains("is held by " + connector + "@"))
                  .isPresent());
      assertThat(metric(second, "FencingStandby")).contains(1);
      assertThat(metric(second, "ErrorsTotal")).contains(0L);
      send(0, TestLedger.page(identity, 6, 9, 4));
      await("the next page", () -> watermark(catalog, "watermark").equals(Position.batchEnd(9)));
      assertThat(failedWith("TULA")).isFalse();
      embedded.delete(connector);
      send(0, List.of(TestLedger.coverage(identity, Position.batchEnd(9), Position.batchEnd(9))));
      send(0, TestLedger.page(identity, 10, 12, 4));
      await("the last page", () -> watermark(catalog, "watermark").equals(Position.batchEnd(12)));
      assertThat(rows(catalog, tables(""))).isEqualTo(expected(1, 12, 4, 0, 1));
    } finally {
      embedded.delete(second);
      embedded.configure(connector, leased);
    }
  }

  private static Optional<Object> metric(String connector, String attribute) {
    return metric(connector, 0, 0, attribute);
  }

  private static Optional<Object> metric(
      String connector, int task, int partition, String attribute) {
    try {
      return Optional.of(
          ManagementFactory.getPlatformMBeanServer()
              .getAttribute(
                  MBeanRegistration.nameOf("sink-task", connector, task, partition), attribute));
    } catch (JMException e) {
      return Optional.empty(); // not open yet
    }
  }

  private static long snapshots(Catalog catalog) {
    long count = 0;
    for (TableIdentifier table : catalog.listTables(Namespace.of("ledger"))) {
      for (var unused : catalog.loadTable(table).snapshots()) {
        count++;
      }
    }
    return count;
  }

  @Test
  @DisplayName(
      "I6, C12: a record missing from the middle halts with 86 before anything after it is written,"
          + " again after a restart, and nothing is lost once it is cured")
  void a_gap_halts_stays_halted_and_loses_nothing_once_cured() throws Exception {
    Catalog catalog = committedPage();
    List<StreamItem> holed = TestLedger.page(identity, 6, 9, 4);
    holed.remove(6);
    send(0, holed);

    assertHaltsAndStaysHalted("records are missing", catalog);
    sendAgainAndClear();
    await("all rows", () -> watermark(catalog, watermark).equals(Position.batchEnd(9)));
    assertThat(rows(catalog, tables(""))).isEqualTo(expected(1, 9, 4, 0, 1));
  }

  @Test
  @DisplayName(
      "I6, C13: a record that comes again altered halts with 86, found in the window or in the lake")
  void an_altered_record_halts_stays_halted_and_loses_nothing_once_cured() throws Exception {
    Catalog catalog = committedPage();
    // After a restart the window is empty, so that only the lake can tell.
    connect.restartTask(connector, 0);
    CanonicalRow altered = TestLedger.row(3, 1, 42);
    send(0, List.of(new StreamItem.Row(new Position(3, 0), altered)));

    assertHaltsAndStaysHalted("at or below the watermark, comes again", catalog);
    sendAgainAndClear();
    await("all rows", () -> watermark(catalog, watermark).equals(Position.batchEnd(9)));

    CanonicalRow inWindow = TestLedger.row(8, 2, 43);
    send(0, List.of(new StreamItem.Row(new Position(8, 1), inWindow)));
    await("TULA-86", () -> failedWith("comes again with other bytes"));
    assertThat(rows(catalog, tables(""))).isEqualTo(expected(1, 9, 4, 0, 1));
  }

  @Test
  @DisplayName(
      "I6, C6: a table dropped and created anew halts with 86, again after a restart, and nothing is"
          + " lost once the original is back")
  void a_replaced_table_halts_stays_halted_and_loses_nothing_once_cured() throws Exception {
    Catalog catalog = committedPage();
    connect.stopConnector(connector);
    TableIdentifier reserve = TableIdentifier.of(namespace, "transactions_reserve");
    TableIdentifier aside = TableIdentifier.of(namespace, "aside");
    Schema schema = catalog.loadTable(reserve).schema();
    catalog.renameTable(reserve, aside);
    catalog.createTable(reserve, schema);
    send(0, TestLedger.page(identity, 6, 9, 4));
    connect.resumeConnector(connector);

    await("TULA-86", () -> failedWith("dropped and created anew"));
    connect.restartTask(connector, 0);
    await("TULA-86 again", () -> failedWith("nobody has cleared it"));
    assertThat(rows(catalog, "transactions_reserve")).isEmpty();
    catalog.dropTable(reserve, false);
    catalog.renameTable(aside, reserve);
    clearHalts();
    connect.restartTask(connector, 0);

    await("all rows", () -> watermark(catalog, watermark).equals(Position.batchEnd(9)));
    assertThat(rows(catalog, tables(""))).isEqualTo(expected(1, 9, 4, 0, 1));
  }

  @Test
  @DisplayName("C2, I6: another layout or partition count is 88, and nothing is written")
  void another_layout_or_partition_count_is_refused() throws Exception {
    Catalog catalog = committedPage();
    long snapshots = snapshots(catalog);

    Map<String, String> layout = config(1);
    layout.put("tula.layout", "shared");
    embedded.configure(connector, layout);
    await("TULA-88", () -> failedWith("tula.layout is recorded as by_type"));

    String wider = topic + ".wider";
    connect.kafka().createTopic(wider, 2);
    Map<String, String> count = config(2);
    count.put("topics", wider);
    count.put("tula.commits.topic", wider + ".commits");
    count.put("tula.checkpoints.topic", wider + ".checkpoints");
    embedded.configure(connector, count);
    await("TULA-88", () -> failedWith("tula.partition-count is recorded as 1"));
    assertThat(snapshots(catalog)).isEqualTo(snapshots);
  }

  private Catalog committedPage() throws Exception {
    connect.kafka().createTopic(topic, 1);
    send(0, opening(identity));
    send(0, TestLedger.page(identity, 1, 5, 4));
    embedded.configure(connector, config(1));
    Catalog catalog = openCatalog();
    await("the first page", () -> watermark(catalog, watermark).equals(Position.batchEnd(5)));
    return catalog;
  }

  private void assertHaltsAndStaysHalted(String message, Catalog catalog) throws Exception {
    await("TULA-86", () -> failedWith(message));
    connect.restartTask(connector, 0);
    await("TULA-86 again", () -> failedWith("nobody has cleared it"));
    assertThat(rows(catalog, tables(""))).isEqualTo(expected(1, 5, 4, 0, 1));
  }

  /** The cure that {@code docs/recover.md} calls "Send a stretch again", done by hand. */
  private void sendAgainAndClear() throws Exception {
    connect.stopConnector(connector);
    try (Admin admin = connect.kafka().createAdminClient()) {
      admin
          .deleteRecords(Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(-1)))
          .all()
          .get();
    }
    clearHalts();
    send(0, List.of(TestLedger.coverage(identity, Position.batchEnd(5), Position.batchEnd(5))));
    send(0, TestLedger.page(identity, 6, 9, 4));
    connect.resumeConnector(connector);
  }

  private void clearHalts() {
    EventIdentity own = EventIdentity.of(identity);
    try (KafkaEventLog log =
        new KafkaEventLog(
            Map.of("bootstrap.servers", connect.kafka().bootstrapServers()),
            new EventTopicNames(topic + ".commits", topic + ".checkpoints"),
            own,
            LIMIT,
            LIMIT)) {
      for (String id : log.read().halts().keySet()) {
        log.publish(List.of(new ClearEvent(own, id, Optional.empty(), "test", Instant.now())));
      }
    }
  }

  @Test
  @DisplayName("C2: partitions are written by tasks of their own, to tables of their own")
  void partitions_are_independent() throws Exception {
    connect.kafka().createTopic(topic, 2);
    for (int partition = 0; partition < 2; partition++) {
      StreamIdentity identity = TestLedger.identity(partition, 2);
      send(partition, opening(identity));
      send(partition, TestLedger.page(identity, 1, 20, 10));
    }
    embedded.configure(connector, config(2));
    Catalog catalog = openCatalog();
    for (int partition = 0; partition < 2; partition++) {
      String table = "watermark_p" + partition;
      await(table, () -> watermark(catalog, table).equals(Position.batchEnd(20)));
      assertThat(rows(catalog, tables("_p" + partition)))
          .isEqualTo(expected(1, 20, 10, partition, 2));
    }
  }

  @Test
  @DisplayName(
      "C4, C10: rebalances that move one partition leave the other's writer alone, and every row of"
          + " both lands once")
  void a_cooperative_rebalance_claims_what_moves_and_nothing_else() throws Exception {
    connect.kafka().createTopic(topic, 2);
    for (int partition = 0; partition < 2; partition++) {
      send(partition, opening(TestLedger.identity(partition, 2)));
    }
    Map<String, String> config = config(2);
    config.put(
        "consumer.override.partition.assignment.strategy",
        CooperativeStickyAssignor.class.getName());
    embedded.configure(connector, config);
    Catalog catalog = openCatalog();
    sendToBothAndAwait(catalog, 1);
    await("a partition for each task", () -> opened(0) && opened(1));

    int left = 0;
    for (int round = 1; round <= 4; round++) {
      List<Long> before = claims(catalog);
      connect.restartTask(connector, 1);
      await("the one that moved to be claimed", () -> !claims(catalog).equals(before));
      sendToBothAndAwait(catalog, 1 + round * 10);
      await("a partition for each task", () -> opened(0) && opened(1));
      List<Long> after = claims(catalog);
      left += after.get(0).equals(before.get(0)) || after.get(1).equals(before.get(1)) ? 1 : 0;
    }

    // Where the restarted task comes late, the other one may have both for a moment, and then give
    // up either.
    assertThat(left).as("rounds in which a partition was left alone").isPositive();
    for (int partition = 0; partition < 2; partition++) {
      assertThat(rows(catalog, tables("_p" + partition)))
          .isEqualTo(expected(1, 50, 5, partition, 2));
    }
    assertThat(failedWith("")).isFalse();
  }

  private void sendToBothAndAwait(Catalog catalog, long firstBatch) {
    for (int partition = 0; partition < 2; partition++) {
      send(
          partition,
          TestLedger.page(TestLedger.identity(partition, 2), firstBatch, firstBatch + 9, 5));
    }
    for (int partition = 0; partition < 2; partition++) {
      String table = "watermark_p" + partition;
      await(table, () -> watermark(catalog, table).equals(Position.batchEnd(firstBatch + 9)));
    }
  }

  /** Whether a task has one of the two partitions, and no other. */
  private boolean opened(int task) {
    return metric(connector, task, 0, "Phase").isPresent()
        != metric(connector, task, 1, "Phase").isPresent();
  }

  private static List<Long> claims(Catalog catalog) {
    List<Long> claims = new ArrayList<>();
    for (int partition = 0; partition < 2; partition++) {
      Table table =
          catalog.loadTable(TableIdentifier.of(Namespace.of("ledger"), "watermark_p" + partition));
      String state = table.properties().get(TableState.PROPERTY);
      claims.add(TableState.ofJson(state).claim().number());
    }
    return claims;
  }
}
