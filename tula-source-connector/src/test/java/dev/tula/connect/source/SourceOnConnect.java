package dev.tula.connect.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.ConnectRecords;
import dev.tula.connect.model.LedgerConverter;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.model.event.CheckpointEvent;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.queryport.QueryPortConfig;
import dev.tula.connect.refnode.ReferenceCluster;
import dev.tula.connect.refnode.history.RecordForm;
import dev.tula.connect.refnode.truth.StreamTruth;
import dev.tula.connect.refnode.truth.TruthReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.runtime.rest.entities.ConnectorOffset;
import org.apache.kafka.connect.runtime.rest.entities.ConnectorOffsets;
import org.apache.kafka.connect.runtime.rest.errors.ConnectRestException;
import org.apache.kafka.connect.storage.Converter;
import org.apache.kafka.connect.util.clusters.EmbeddedConnectCluster;

/** Real workers and a real broker inside the test, and what source connectors leave on them. */
final class SourceOnConnect implements AutoCloseable {
  private static final long WAIT_SECONDS = 180;

  private final EmbeddedConnectCluster connect;

  private SourceOnConnect(EmbeddedConnectCluster connect) {
    this.connect = connect;
  }

  /** Starts a broker and one worker with exactly-once support. */
  static SourceOnConnect start(String name, Map<String, String> workerSettings) {
    Properties broker = new Properties();
    broker.put("transaction.state.log.replication.factor", "1");
    broker.put("transaction.state.log.min.isr", "1");
    broker.put("log.cleaner.dedupe.buffer.size", "4194304");
    Map<String, String> worker = new HashMap<>(workerSettings);
    worker.put("exactly.once.source.support", "enabled");
    worker.put("offset.flush.interval.ms", "1000");
    worker.put("plugin.discovery", "service_load");
    EmbeddedConnectCluster connect =
        new EmbeddedConnectCluster.Builder()
            .name(name)
            .numWorkers(1)
            .brokerProps(broker)
            .workerProps(worker)
            .build();
    connect.start();
    return new SourceOnConnect(connect);
  }

  EmbeddedConnectCluster connect() {
    return connect;
  }

  @Override
  public void close() {
    connect.stop();
  }

  /** A connector of a pipeline of the same name, which writes to {@code data-<name>}. */
  Map<String, String> properties(String name, ReferenceCluster ledger, int partitionCount) {
    Map<String, String> properties = new HashMap<>();
    properties.put("name", name);
    properties.put("connector.class", TulaSourceConnector.class.getName());
    properties.put("tasks.max", "2");
    properties.put("key.converter", "org.apache.kafka.connect.converters.ByteArrayConverter");
    properties.put("value.converter", LedgerConverter.class.getName());
    properties.put(QueryPortConfig.HOSTS, String.join(",", ledger.addresses()));
    properties.put(QueryPortConfig.CLUSTER_ID, ledger.clusterId());
    properties.put(SourceConfig.PIPELINE, name);
    properties.put(SourceConfig.TOPIC, "data-" + name);
    properties.put(SourceConfig.PARTITION_COUNT, Integer.toString(partitionCount));
    properties.put(SourceConfig.KAFKA_BOOTSTRAP_SERVERS, connect.kafka().bootstrapServers());
    properties.put(SourceConfig.FETCH_WAIT_MS, "500");
    properties.put(SourceConfig.TOPIC_REPLICATION_FACTOR, "1");
    return properties;
  }

  /** Creates a connector, or gives it another configuration. */
  void configure(String connector, Map<String, String> config) {
    ask(() -> connect.configureConnector(connector, config));
  }

  void delete(String connector) {
    ask(() -> connect.deleteConnector(connector));
  }

  /** Asks again while the worker is still busy with what it was asked before. */
  private static void ask(Runnable command) {
    long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
    while (true) {
      try {
        command.run();
        return;
      } catch (ConnectRestException e) {
        if (e.statusCode() != 409 || System.nanoTime() > endNanos) {
          throw e;
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
      }
    }
  }

  boolean isRunning(String connector, int tasks) {
    var states = connect.connectorStatus(connector).tasks();
    return states.size() == tasks
        && states.stream().allMatch(task -> "RUNNING".equals(task.state()));
  }

  /** Whether the connector has no task left. */
  boolean isStopped(String connector) {
    return connect.connectorStatus(connector).tasks().isEmpty();
  }

  /** The trace of the first task that failed. */
  Optional<String> failure(String connector) {
    return connect.connectorStatus(connector).tasks().stream()
        .filter(task -> "FAILED".equals(task.state()))
        .map(task -> task.trace())
        .findFirst();
  }

  /** The lowest stored offset's batch over the connector's partitions, once all have one. */
  Optional<Long> lastOffsetOf(String connector) {
    List<ConnectorOffset> offsets = connect.connectorOffsets(connector).offsets();
    if (offsets.stream().anyMatch(offset -> offset.offset() == null)) {
      return Optional.empty();
    }
    return offsets.stream()
        .map(offset -> ((Number) offset.offset().get("global_batch_seq")).longValue())
        .min(Long::compare);
  }

  boolean isAtOrAfter(String connector, long batch) {
    return lastOffsetOf(connector).filter(last -> last >= batch).isPresent();
  }

  String alter(String connector, Map<String, ?> partition, Map<String, ?> offset) {
    return connect.alterConnectorOffsets(
        connector, new ConnectorOffsets(List.of(new ConnectorOffset(partition, offset))));
  }

  static Map<String, Object> offset(String position, String clusterId) {
    return new HashMap<>(new SourceOffset(Position.parse(position), clusterId, null));
  }

  /** Waits until the topic reaches the ledger's head, and demands that it holds each row once. */
  void assertTopicEqualsTruth(
      ReferenceCluster source,
      String topic,
      int partitionCount,
      RecordForm form,
      Converter converter)
      throws Exception {
    for (int partition = 0; partition < partitionCount; partition++) {
      StreamTruth stream = awaitHead(source, topic, partition, partitionCount, form, converter);
      assertThat(stream.problem()).isEmpty();
      assertThat(stream.rows()).isPositive();
      assertThat(stream.isExactlyOnce()).as("each row once: %s", stream).isTrue();
    }
  }

  /** The same for a compact topic of plain rows. */
  void assertTopicEqualsTruth(ReferenceCluster source, String topic, int partitionCount)
      throws Exception {
    assertTopicEqualsTruth(source, topic, partitionCount, RecordForm.NARROW, new LedgerConverter());
  }

  /** Waits until a partition of the topic reaches the ledger's head; what it holds then. */
  StreamTruth awaitHead(
      ReferenceCluster source,
      String topic,
      int partition,
      int partitionCount,
      RecordForm form,
      Converter converter)
      throws Exception {
    await(
        () -> {
          List<StreamItem> items = read(topic, partition, converter);
          return !items.isEmpty() && items.get(items.size() - 1).provesTo().equals(source.head());
        });
    try (TruthReader truth = source.truth(partition, partitionCount, form)) {
      return StreamTruth.of(read(topic, partition, converter), truth);
    }
  }

  List<StreamItem> readTopic(String topic, int partitions, Converter converter) {
    List<StreamItem> items = new ArrayList<>();
    for (int partition = 0; partition < partitions; partition++) {
      items.addAll(read(topic, partition, converter));
    }
    return items;
  }

  /** What is committed in a partition just now. */
  List<StreamItem> read(String topic, int partition, Converter converter) {
    TopicPartition from = new TopicPartition(topic, partition);
    List<StreamItem> items = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        connect
            .kafka()
            .createConsumer(
                Map.of(
                    "isolation.level", "read_committed",
                    "enable.auto.commit", "false",
                    "allow.auto.create.topics", "false"))) {
      if (consumer.partitionsFor(topic).size() <= partition) {
        return items;
      }
      consumer.assign(List.of(from));
      consumer.seekToBeginning(List.of(from));
      long end = consumer.endOffsets(List.of(from)).get(from);
      while (consumer.position(from) < end) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
          assertThat(record.key()).isNull();
          SchemaAndValue value = converter.toConnectData(topic, record.value());
          items.add(ConnectRecords.fromConnect(value.schema(), value.value()));
        }
      }
    }
    return items;
  }

  /** The sink's word that the lake is complete up to the end of a batch. */
  static CheckpointEvent checkpoint(EventIdentity identity, long batch, long claim) {
    return new CheckpointEvent(
        identity,
        1,
        claim,
        "w",
        Position.ORIGIN,
        Position.batchEnd(batch),
        0,
        "data-" + identity.pipeline(),
        identity.partition(),
        0,
        Instant.EPOCH);
  }

  /** Publishes checkpoints as the sink does. */
  void publish(String topic, CheckpointEvent... events) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer =
        connect.kafka().createProducer(Map.of("acks", "all"))) {
      for (CheckpointEvent event : events) {
        producer
            .send(
                new ProducerRecord<>(
                    topic,
                    event.identity().partition(),
                    event.key().getBytes(StandardCharsets.UTF_8),
                    event.value().getBytes(StandardCharsets.UTF_8)))
            .get(60, TimeUnit.SECONDS);
      }
    }
  }

  static void await(Callable<Boolean> condition) throws Exception {
    long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
    while (!holds(condition)) {
      assertThat(System.nanoTime()).as("not within " + WAIT_SECONDS + " s").isLessThan(endNanos);
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  /** What Connect does not know yet, or can't say while it rebalances, does not hold yet. */
  private static boolean holds(Callable<Boolean> condition) throws Exception {
    try {
      return condition.call();
    } catch (ConnectRestException e) {
      if (e.statusCode() == 404 || e.statusCode() == 409) {
        return false;
      }
      throw e;
    }
  }
}
