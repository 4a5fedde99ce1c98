package dev.tula.connect.sink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.lake.BigLakeDouble;
import dev.tula.connect.sink.lake.IcebergCatalogs;
import dev.tula.connect.sink.lake.S3TablesDouble;
import dev.tula.connect.sink.lake.SqliteCatalog;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.apache.iceberg.Table;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.io.CloseableIterable;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole sink in a Connect worker, on REST catalogs with the quirks of cloud services. */
class SinkOnCloudCatalogsIT {
  private static final Duration LIMIT = Duration.ofSeconds(240);
  private static final Namespace NAMESPACE = Namespace.of("ledger");
  private static final String[] KINDS = {"single_phase", "reserve", "resolution", "rejected"};
  private static final String CONNECTOR = "lake";
  private static final int ROWS_PER_BATCH = 6;

  @TempDir Path dir;

  private static EmbeddedConnect embedded;
  private static EmbeddedConnectCluster connect;
  private static int tests;

  private final StreamIdentity identity = TestLedger.identity(0, 1);
  private String topic;
  private Catalog backend;
  private long sent;

  @BeforeAll
  static void startCluster() {
    embedded = new EmbeddedConnect("clouds-it", Map.of("offset.flush.interval.ms", "500"));
    connect = embedded.cluster;
  }

  @AfterAll
  static void stopCluster() {
    if (embedded != null) {
      embedded.close();
    }
  }

  @BeforeEach
  void open() throws Exception {
    topic = "clouds" + ++tests;
    connect.kafka().createTopic(topic, 1);
    backend =
        IcebergCatalogs.build("backend", SqliteCatalog.properties(dir), Map.of(), Optional.empty());
    send(
        List.of(
            TestLedger.start(identity),
            TestLedger.coverage(identity, Position.ORIGIN, Position.ORIGIN)));
  }

  @AfterEach
  void deleteConnector() {
    embedded.delete(CONNECTOR);
  }

  private void startSink(Map<String, String> catalog, Map<String, String> more) {
    Map<String, String> config = embedded.sinkConfig(topic);
    config.put("tula.commit.interval.ms", "100");
    catalog.forEach((key, value) -> config.put("iceberg.catalog." + key, value));
    config.putAll(more);
    embedded.configure(CONNECTOR, config);
  }

  private void send(List<StreamItem> items) {
    embedded.send(topic, 0, items);
  }

  /** Sends one more batch, and waits until the watermark has passed it. */
  private void throughTheNextBatch() {
    sendNextBatch();
    awaitAllSent();
  }

  private void sendNextBatch() {
    sent++;
    send(TestLedger.page(identity, sent, sent, ROWS_PER_BATCH));
  }

  private void awaitAllSent() {
    await("batch " + sent, () -> watermark().equals(Position.batchEnd(sent)));
  }

  private void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("waiting for %s; %s", what, failure()).isLessThan(deadline);
      try {
        Thread.sleep(50);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }
  }

  private Optional<String> failure() {
    try {
      ConnectorStateInfo status = connect.connectorStatus(CONNECTOR);
      return status.tasks().stream()
          .filter(task -> task.state().equals("FAILED"))
          .map(task -> String.valueOf(task.trace()))
          .findFirst();
    } catch (ConnectRestException e) {
      return Optional.empty(); // a connector that was just made has no status yet
    }
  }

  private Position watermark() {
    try {
      String state = table("watermark").properties().get(TableState.PROPERTY);
      return state == null
          ? Position.ORIGIN
          : TableState.ofJson(state).to().orElse(Position.ORIGIN);
    } catch (NoSuchTableException | NoSuchNamespaceException e) {
      return Position.ORIGIN;
    }
  }

  private Table table(String name) {
    return backend.loadTable(TableIdentifier.of(NAMESPACE, name));
  }

  private void addRows(String table, List<String> rows) throws Exception {
    try (CloseableIterable<Record> records = IcebergGenerics.read(table(table)).build()) {
      for (Record row : records) {
        rows.add(
            row.getField("global_batch_seq")
                + ":"
                + row.getField("array_index")
                + "="
                + row.getField("amount"));
      }
    }
  }

  private void assertEveryRowIsThereOnce() throws Exception {
    List<String> rows = new ArrayList<>();
    for (String kind : KINDS) {
      addRows("transactions_" + kind, rows);
      addRows("transactions_tiered_" + kind, rows);
    }
    List<String> expected = new ArrayList<>();
    for (long batch = 1; batch <= sent; batch++) {
      for (int i = 0; i < ROWS_PER_BATCH; i++) {
        expected.add(batch + ":" + i + "=" + (1 + batch * 1_000 + i));
      }
    }
    assertThat(rows).containsExactlyInAnyOrderElementsOf(expected);
  }

  @ParameterizedTest(name = "tula.catalog.multi-table={0}")
  @ValueSource(strings = {"false", "true"})
  @DisplayName(
      "I1, I2, C7: S3 Tables compacts and expires under a writing sink: no halt, nothing lost")
  void s3_tables_may_compact_and_expire_while_the_sink_writes(String multiTable) throws Exception {
    try (S3TablesDouble tables = new S3TablesDouble(backend, NAMESPACE)) {
      tables.startMaintenance();
      startSink(tables.clientProperties(), Map.of("tula.catalog.multi-table", multiTable));
      while ((tables.compactions() < 20 || tables.expiries() < 20) && sent < 300) {
        throughTheNextBatch();
      }
      assertThat(failure()).isEmpty();
      assertThat(tables.compactions()).isGreaterThanOrEqualTo(20);
      assertThat(tables.expiries()).isGreaterThanOrEqualTo(20);
      assertThat(tables.unsignedRequests()).isZero();
      assertThat(tables.multiTableCommits() > 0).isEqualTo(Boolean.parseBoolean(multiTable));
    }
    assertEveryRowIsThereOnce();
  }

  @Test
  @DisplayName("BigLake: tokens that live for seconds are renewed under a sink that runs on")
  void big_lake_tokens_are_renewed_while_the_sink_runs() throws Exception {
    try (BigLakeDouble bigLake = new BigLakeDouble(backend, Duration.ofSeconds(5))) {
      startSink(bigLake.clientProperties(), Map.of());
      while (bigLake.tokensIssued() < 3 && sent < 1_000) {
        throughTheNextBatch();
      }
      assertThat(bigLake.tokensIssued()).isGreaterThanOrEqualTo(3);
      assertThat(bigLake.refusedTokens()).isZero();
      assertThat(failure()).isEmpty();
    }
    assertEveryRowIsThereOnce();
  }

  @Test
  @DisplayName(
      "BigLake's 1 MB: the task fails with limit and cure named, and loses nothing once cured")
  void big_lake_limit_stops_the_task_and_nothing_is_lost_once_snapshots_are_expired()
      throws Exception {
    try (BigLakeDouble bigLake = new BigLakeDouble(backend, Duration.ofMinutes(10))) {
      startSink(bigLake.clientProperties(), Map.of());
      throughTheNextBatch();
      table("transactions_reserve")
          .updateProperties()
          .set("comment", "x".repeat((1 << 20) - 20_000))
          .commit();
      while (failure().isEmpty() && sent < 100) {
        sendNextBatch();
        await(
            "batch " + sent + " or a failure",
            () -> failure().isPresent() || watermark().equals(Position.batchEnd(sent)));
      }
      assertThat(failure().orElseThrow())
          .contains("1 MB (1048576 bytes)", "tula-lake cleanup", "transactions_reserve");
      assertThat(bigLake.oversizedCommits()).isLessThan(5);

      table("transactions_reserve")
          .expireSnapshots()
          .expireOlderThan(System.currentTimeMillis())
          .retainLast(1)
          .commit();
      connect.restartTask(CONNECTOR, 0);
      throughTheNextBatch();
      assertThat(failure()).isEmpty();
    }
    assertEveryRowIsThereOnce();
  }
}
