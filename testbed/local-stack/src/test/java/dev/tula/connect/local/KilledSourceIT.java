package dev.tula.connect.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.ConnectRecords;
import dev.tula.connect.model.LedgerConverter;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.refnode.ReferenceCluster;
import dev.tula.connect.refnode.history.RecordForm;
import dev.tula.connect.refnode.truth.StreamTruth;
import dev.tula.connect.refnode.truth.TruthReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * SIGKILL to a worker in the middle of a load, with a source connector for each place where
 * transactions may end: what their topics hold afterwards, to a reader of what is committed.
 */
class KilledSourceIT {
  private static final Duration LIMIT = Duration.ofMinutes(4);
  private static final List<String> BOUNDARIES = List.of("poll", "interval", "connector");
  private static final double ROWS_PER_SECOND = 500;

  @TempDir static Path directory;

  private static Path plugins;
  private static LocalBroker broker;

  @BeforeAll
  static void start() {
    plugins = directory.resolve("plugins");
    PluginPath.unpack(
        PluginPath.builtZips(TestPaths.root()).stream()
            .filter(zip -> zip.getFileName().toString().startsWith("tula-source-connector"))
            .toList(),
        plugins);
    broker = LocalBroker.start(directory.resolve("broker"));
  }

  @AfterAll
  static void stop() {
    if (broker != null) {
      broker.close();
    }
  }

  @Test
  @DisplayName("KIP-618: wherever transactions end, a killed worker leaves each row exactly once")
  void a_killed_worker_leaves_each_row_once_wherever_transactions_end() throws Exception {
    Map<String, StreamTruth> streams = killInTheMiddle("once", options().withShortSessions());
    streams.forEach(
        (boundary, stream) -> {
          assertThat(stream.problem()).as(boundary).isEmpty();
          assertThat(stream.isExactlyOnce()).as("%s: %s", boundary, stream).isTrue();
        });
  }

  @Test
  void without_exactly_once_support_a_killed_worker_sends_rows_again_and_loses_none()
      throws Exception {
    Map<String, StreamTruth> streams =
        killInTheMiddle(
            "again",
            options().withShortSessions().withoutExactlyOnceSource(Duration.ofDays(1).toMillis()));
    streams.forEach(
        (boundary, stream) -> {
          assertThat(stream.problem()).as(boundary).isEmpty();
          assertThat(stream.replayed()).as("%s: %s", boundary, stream).isPositive();
        });
  }

  private static WorkerOptions options() throws Exception {
    return WorkerOptions.of(
        directory.resolve("worker"),
        TestPaths.workerClassPath(),
        plugins,
        broker.bootstrapServers(),
        Map.of());
  }

  /** What each boundary's topic holds once it has reached the head of the ledger. */
  private static Map<String, StreamTruth> killInTheMiddle(String name, WorkerOptions options) {
    Map<String, StreamTruth> streams = new LinkedHashMap<>();
    try (ReferenceCluster ledger = ReferenceCluster.builder().seed(29).rows(1_000).start();
        ConnectWorkerProcess worker = ConnectWorkerProcess.start(options)) {
      BOUNDARIES.forEach(
          boundary ->
              worker.rest().putConfig(name + boundary, config(ledger, name + boundary, boundary)));
      ledger.startLoad(Long.MAX_VALUE, ROWS_PER_SECOND);
      BOUNDARIES.forEach(boundary -> awaitRows(ledger, name + boundary, 1_500));
      worker.kill();
      worker.startAgain();
      ledger.pauseLoad();
      for (String boundary : BOUNDARIES) {
        awaitHead(ledger, worker, name + boundary);
        streams.put(boundary, stream(ledger, name + boundary));
        worker.rest().delete(name + boundary);
      }
    }
    return streams;
  }

  private static Map<String, String> config(ReferenceCluster ledger, String name, String boundary) {
    Map<String, String> config = new LinkedHashMap<>();
    config.put("name", name);
    config.put("connector.class", "dev.tula.connect.source.TulaSourceConnector");
    config.put("tasks.max", "1");
    config.put("transaction.boundary", boundary);
    config.put("transaction.boundary.interval.ms", "300");
    // What the killed worker had begun ends after this, and the next one waits for that.
    config.put("producer.override.transaction.timeout.ms", "10000");
    config.put("key.converter", "org.apache.kafka.connect.storage.StringConverter");
    config.put("value.converter", LedgerConverter.class.getName());
    config.put("tula.hosts", String.join(",", ledger.addresses()));
    config.put("tula.cluster.id", ledger.clusterId());
    config.put("tula.pipeline", name);
    config.put("tula.topic", name);
    config.put("tula.topic.replication.factor", "1");
    config.put("tula.page.max.records", "200");
    config.put("tula.poll.max.records", "70");
    config.put("tula.fetch.wait.ms", "300");
    config.put("tula.kafka.bootstrap.servers", broker.bootstrapServers());
    return config;
  }

  private static void awaitRows(ReferenceCluster ledger, String topic, long rows) {
    Wait.until(rows + " rows in " + topic, LIMIT, () -> stream(ledger, topic).rows() >= rows);
  }

  private static void awaitHead(
      ReferenceCluster ledger, ConnectWorkerProcess worker, String connector) {
    Wait.until(
        "the head of the ledger in " + connector,
        LIMIT,
        () -> {
          assertThat(worker.rest().status(connector).flatMap(ConnectorStatus::failure)).isEmpty();
          return stream(ledger, connector).provenTo().equals(ledger.head());
        });
  }

  private static StreamTruth stream(ReferenceCluster ledger, String topic) {
    List<StreamItem> items = read(topic);
    try (TruthReader truth = ledger.truth(RecordForm.NARROW)) {
      return StreamTruth.of(items, truth);
    }
  }

  /** What is committed in the topic's only partition just now. */
  private static List<StreamItem> read(String topic) {
    LedgerConverter converter = new LedgerConverter();
    List<StreamItem> items = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers", broker.bootstrapServers(),
                "isolation.level", "read_committed",
                "enable.auto.commit", "false",
                "allow.auto.create.topics", "false"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      if (!consumer.listTopics().containsKey(topic)) {
        return items;
      }
      TopicPartition partition = new TopicPartition(topic, 0);
      consumer.assign(Set.of(partition));
      consumer.seekToBeginning(Set.of(partition));
      long end = consumer.endOffsets(Set.of(partition)).get(partition);
      while (consumer.position(partition) < end) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
          SchemaAndValue value = converter.toConnectData(topic, record.value());
          items.add(ConnectRecords.fromConnect(value.schema(), value.value()));
        }
      }
    }
    return items;
  }
}
