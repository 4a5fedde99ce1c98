package dev.tula.connect.sink;

import dev.tula.connect.model.LedgerConverter;
import dev.tula.connect.model.StreamItem;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.connect.runtime.rest.errors.ConnectRestException;
import org.apache.kafka.connect.util.clusters.EmbeddedConnectCluster;

/** A Connect worker and a broker in this process, and the source's place in them. */
final class EmbeddedConnect implements AutoCloseable {
  private static final int CONFLICT = 409;
  private static final long LIMIT_NS = 180_000_000_000L;
  private static final long PAUSE_NS = 100_000_000;

  final EmbeddedConnectCluster cluster;
  private final KafkaProducer<byte[], byte[]> producer;

  /**
   * Starts them.
   *
   * @param worker what the worker is told beyond where its broker is
   */
  EmbeddedConnect(String name, Map<String, String> worker) {
    Properties broker = new Properties();
    broker.put("transaction.state.log.replication.factor", "1");
    broker.put("transaction.state.log.min.isr", "1");
    broker.put("log.cleaner.dedupe.buffer.size", "4194304");
    cluster =
        new EmbeddedConnectCluster.Builder()
            .name(name)
            .numWorkers(1)
            .numBrokers(1)
            .brokerProps(broker)
            .workerProps(new HashMap<>(worker))
            .build();
    cluster.start();
    producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrapServers(), "acks", "all"),
            new ByteArraySerializer(),
            new ByteArraySerializer());
  }

  String bootstrapServers() {
    return cluster.kafka().bootstrapServers();
  }

  /** What a sink of one topic is told, but for its catalog; a map of the caller's own. */
  Map<String, String> sinkConfig(String topic) {
    Map<String, String> config = TestLedger.sinkConfig();
    config.remove("name"); // it goes by the name that it is created under
    config.put("connector.class", IcebergExactlyOnceSinkConnector.class.getName());
    config.put("tasks.max", "1");
    config.put("topics", topic);
    config.put("key.converter", "org.apache.kafka.connect.converters.ByteArrayConverter");
    config.put("value.converter", LedgerConverter.class.getName());
    config.put("tula.topic.replication.factor", "1");
    config.put("tula.commits.topic", topic + ".commits");
    config.put("tula.checkpoints.topic", topic + ".checkpoints");
    config.put("iceberg.kafka.bootstrap.servers", bootstrapServers());
    return config;
  }

  /** Sends items to a topic's partition; they are there when it returns. */
  void send(String topic, int partition, List<StreamItem> items) {
    for (StreamItem item : items) {
      producer.send(new ProducerRecord<>(topic, partition, null, LedgerConverter.encode(item)));
    }
    producer.flush();
  }

  /** Creates a connector, or gives it another configuration. */
  void configure(String connector, Map<String, String> config) {
    ask(() -> cluster.configureConnector(connector, config));
  }

  void delete(String connector) {
    ask(() -> cluster.deleteConnector(connector));
  }

  /** Asks again while the worker is still busy with what it was asked before. */
  private static void ask(Runnable command) {
    long deadline = System.nanoTime() + LIMIT_NS;
    while (true) {
      try {
        command.run();
        return;
      } catch (ConnectRestException e) {
        if (e.statusCode() != CONFLICT || System.nanoTime() > deadline) {
          throw e;
        }
        LockSupport.parkNanos(PAUSE_NS);
      }
    }
  }

  @Override
  public void close() {
    producer.close();
    cluster.stop();
  }
}
