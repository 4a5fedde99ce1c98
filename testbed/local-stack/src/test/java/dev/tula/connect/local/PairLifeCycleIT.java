package dev.tula.connect.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tula.connect.refnode.ReferenceCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * The life of one pair of connectors, from a worker of the oldest Kafka Connect that they run on to
 * one of the newest, through whatever an operator may do to them. They come from the built zips by
 * {@code plugin.path}, with {@code plugin.discovery=service_load} and nothing of this project on
 * the workers' class paths. After each step every row of the ledger is in the lake, once.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@DisplayName("I1, I2: every row is in the lake once")
class PairLifeCycleIT {
  private static final Duration LIMIT = Duration.ofMinutes(4);
  private static final int VERIFIER_MEMORY_MB = 512;

  @TempDir static Path directory;

  private static Host host;
  private static Pipeline pipeline;
  private static ConnectorConfig source;
  private static ConnectorConfig sink;
  private static int verifications;

  @BeforeAll
  static void start() throws IOException {
    host = new Host();
    host.start(TestPaths.oldestWorkerClassPath());
    Path examples = TestPaths.root().resolve("config-examples/local");
    source = ConnectorConfig.read(examples.resolve("source.json"));
    sink =
        ConnectorConfig.read(examples.resolve("sink.json"))
            .with(Map.of("tula.commit.interval.ms", "500"));
    pipeline = new Pipeline(host, source, sink);
  }

  @AfterAll
  static void stop() {
    if (pipeline != null) {
      pipeline.close();
    }
    if (host != null) {
      host.close();
    }
  }

  @Test
  @Order(1)
  void on_connect_3_9_the_plugins_load_from_their_zips_and_move_a_ledger() throws IOException {
    assertThat(TestPaths.oldestWorkerClassPath()).contains("connect-runtime-3.9.");
    assertThat(rest().connectorClasses())
        .contains(source.value("connector.class"), sink.value("connector.class"));
    pipeline.start();
    assertEveryRowOnce();
  }

  @Test
  @Order(2)
  void on_connect_3_9_a_paused_and_a_stopped_pair_go_on_where_they_were() {
    rest().pause(pipeline.sourceName());
    rest().pause(pipeline.sinkName());
    awaitState("PAUSED");
    advance();
    rest().stop(pipeline.sourceName());
    rest().stop(pipeline.sinkName());
    awaitState("STOPPED");
    assertThat(pipeline.complete()).isFalse();
    resume();
    assertEveryRowOnce();
  }

  @Test
  @Order(3)
  void after_the_worker_s_upgrade_to_connect_4_3_the_pair_goes_on() throws IOException {
    host.worker().close();
    advance();
    host.startWorker(TestPaths.workerClassPath());
    assertEveryRowOnce();
  }

  @Test
  @Order(4)
  void connectors_deleted_and_created_again_under_their_names_go_on() {
    rest().delete(pipeline.sourceName());
    rest().delete(pipeline.sinkName());
    advance();
    pipeline.start();
    assertEveryRowOnce();
  }

  @Test
  @Order(5)
  @DisplayName("C13: source offsets that were reset bring every row again, and the lake drops them")
  void source_offsets_that_were_reset_bring_every_row_again_and_the_lake_drops_them() {
    pipeline.poll();
    long replayedBefore = pipeline.metrics().replayedRows();
    long rows = host.engine().rows();
    rest().stop(pipeline.sourceName());
    awaitState(pipeline.sourceName(), "STOPPED");
    rest().resetOffsets(pipeline.sourceName());
    rest().resume(pipeline.sourceName());
    Wait.until(
        "every row to come again",
        LIMIT,
        () -> {
          pipeline.poll();
          return pipeline.metrics().replayedRows() >= replayedBefore + rows;
        });
    advance();
    assertEveryRowOnce();
  }

  @Test
  @Order(6)
  @DisplayName("I3: the sink's offsets can be neither altered nor reset, and the message says why")
  void offsets_of_the_sink_can_be_neither_altered_nor_reset() throws IOException {
    rest().stop(pipeline.sinkName());
    awaitState(pipeline.sinkName(), "STOPPED");
    assertThatThrownBy(() -> rest().resetOffsets(pipeline.sinkName()))
        .hasMessageContaining("follows from the lake's watermark");
    var offsets =
        new ObjectMapper()
            .readTree(
                """
                {"offsets": [{"partition": {"kafka_topic": "local.ledger", "kafka_partition": 0},
                  "offset": {"kafka_offset": 1}}]}
                """);
    assertThatThrownBy(() -> rest().alterOffsets(pipeline.sinkName(), offsets))
        .hasMessageContaining("alter the source connector's offsets");
    advance();
    rest().resume(pipeline.sinkName());
    assertEveryRowOnce();
  }

  private static ConnectRest rest() {
    return host.worker().rest();
  }

  private static void advance() {
    host.engine().advance(500);
  }

  private static void resume() {
    rest().resume(pipeline.sourceName());
    rest().resume(pipeline.sinkName());
  }

  private static void awaitState(String state) {
    awaitState(pipeline.sourceName(), state);
    awaitState(pipeline.sinkName(), state);
  }

  private static void awaitState(String connector, String state) {
    Wait.until(
        connector + " to be " + state,
        LIMIT,
        () ->
            rest()
                .status(connector)
                .filter(
                    status ->
                        status.state().equals(state)
                            && status.tasks().stream().allMatch(task -> task.state().equals(state)))
                .filter(status -> !state.equals("STOPPED") || status.tasks().isEmpty())
                .isPresent());
  }

  private static void assertEveryRowOnce() {
    pipeline.awaitComplete(LIMIT);
    verifications++;
    Path own = directory.resolve("verify-" + verifications);
    try (LakeVerifier verifier = LakeVerifier.open(own, VERIFIER_MEMORY_MB)) {
      LakeVerdict verdict = pipeline.verify(verifier);
      assertThat(verdict.rows()).isEqualTo(host.engine().rows());
      assertThat(verdict.agrees()).as("%s", verdict).isTrue();
    }
    assertThat(pipeline.checkAcks().violations()).as("I4").isEmpty();
  }

  /** A ledger, a broker, a lake in SQLite, and one worker after another. */
  private static final class Host implements PipelineHost, AutoCloseable {
    private final Map<String, String> environment = new LinkedHashMap<>();
    private final Path plugins = directory.resolve("plugins");
    private final StartedParts parts = new StartedParts("the host of the pair");
    private ReferenceCluster engine;
    private LocalBroker broker;
    private LocalLake lake;
    private ConnectWorkerProcess worker;
    private int workers;

    void start(String workerClassPath) {
      engine =
          parts.start(
              () ->
                  ReferenceCluster.builder()
                      .clusterId(LocalStack.CLUSTER_ID)
                      .dir(directory.resolve("engine"))
                      .seed(37)
                      .rows(3_000)
                      .start());
      LakeHost lakeHost =
          parts.start(
              () -> LakeHost.start(LakeKind.SQLITE, TestPaths.root(), directory.resolve("lake")));
      lake = lakeHost.lake("ledger");
      broker = parts.start(() -> LocalBroker.start(directory.resolve("broker")));
      environment.putAll(lakeHost.environment());
      environment.putAll(LocalStack.environment(engine, broker.bootstrapServers()));
      PluginPath.unpack(PluginPath.builtZips(TestPaths.root()), plugins);
      startWorker(workerClassPath);
    }

    void startWorker(String classPath) {
      workers++;
      WorkerOptions options =
          WorkerOptions.of(
                  directory.resolve("worker-" + workers),
                  classPath,
                  plugins,
                  broker.bootstrapServers(),
                  environment)
              .withShortSessions();
      worker = parts.start(() -> ConnectWorkerProcess.start(options));
    }

    @Override
    public ReferenceCluster engine() {
      return engine;
    }

    @Override
    public String bootstrapServers() {
      return broker.bootstrapServers();
    }

    @Override
    public ConnectWorkerProcess worker() {
      return worker;
    }

    @Override
    public LocalLake lake() {
      return lake;
    }

    @Override
    public void close() {
      parts.close();
    }
  }
}
