package dev.tula.connect.sink;

import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.events.EventPublisher;
import dev.tula.connect.sink.events.EventTail;
import dev.tula.connect.sink.events.EventTopics;
import dev.tula.connect.sink.events.KafkaEventLog;
import dev.tula.connect.sink.lake.IcebergCatalogs;
import dev.tula.connect.sink.lake.IcebergLake;
import dev.tula.connect.sink.lake.LakeOptions;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.connect.IcebergSinkConfig;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task's one connection to catalog and brokers, made when the first partition opens and shared by
 * all of them. Safe for any thread.
 */
final class LakeConnection implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LakeConnection.class);

  /** The longest wait for one answer of a broker. */
  private static final long BROKER_TIMEOUT_MS = 30_000;

  private final SinkConfig config;
  private final String dataTopic;
  private final PipelineIdentity identity;
  private final List<IcebergLake> lakes = new ArrayList<>();

  private Catalog catalog;
  private EventPublisher publisher;
  private boolean topicsChecked;
  private boolean closed;

  LakeConnection(SinkConfig config, String dataTopic) {
    this.config = config;
    this.dataTopic = dataTopic;
    this.identity = config.identity();
  }

  /** Opens a partition's ports, having made sure of the topics and the catalog first (C2). */
  synchronized PartitionPorts open(int partition) {
    if (closed) {
      throw LakeException.lasting("the task was stopped", null);
    }
    IcebergSinkConfig stock = config.stock();
    Map<String, String> client = client(stock);
    checkTopics(client);
    if (publisher == null) {
      publisher = newPublisher(client);
    }
    if (catalog == null) {
      catalog = newCatalog(stock);
    }
    IcebergLake lake =
        new IcebergLake(
            catalog,
            Namespace.of(config.namespace().split("\\.")),
            identity,
            partition,
            LakeOptions.of(stock.autoCreateProps(), stock.writeProps()));
    lakes.add(lake);
    EventTail tail =
        new EventTail(
            client, List.of(config.commitsTopic(), config.checkpointsTopic()), BROKER_TIMEOUT_MS);
    EventIdentity events = EventIdentity.of(identity.stream(partition));
    return new PartitionPorts(lake, new KafkaEventLog(events, tail, publisher));
  }

  private static Map<String, String> client(IcebergSinkConfig stock) {
    Map<String, String> client = new HashMap<>(stock.kafkaProps());
    if (!client.containsKey("bootstrap.servers")) {
      throw LakeException.lasting(
          "the brokers of the event topics are not known: set iceberg.kafka.bootstrap.servers",
          null);
    }
    return client;
  }

  private void checkTopics(Map<String, String> client) {
    if (topicsChecked) {
      return;
    }
    try (Admin admin = Admin.create(new HashMap<>(client))) {
      EventTopics topics =
          new EventTopics(
              admin, identity.partitionCount(), config.topicReplicationFactor(), BROKER_TIMEOUT_MS);
      topics.checkData(dataTopic);
      topics.ensure(config.commitsTopic());
      topics.ensure(config.checkpointsTopic());
    } catch (KafkaException e) {
      throw LakeException.lasting(
          "the Kafka client can't be made from iceberg.kafka.*: " + e.getMessage(), e);
    }
    topicsChecked = true;
  }

  private EventPublisher newPublisher(Map<String, String> client) {
    try {
      return new EventPublisher(
          client, config.commitsTopic(), config.checkpointsTopic(), BROKER_TIMEOUT_MS);
    } catch (KafkaException e) {
      throw LakeException.lasting(
          "the Kafka client can't be made from iceberg.kafka.*: " + e.getMessage(), e);
    }
  }

  private static Catalog newCatalog(IcebergSinkConfig stock) {
    try {
      return IcebergCatalogs.build(stock);
    } catch (IllegalArgumentException e) {
      throw LakeException.lasting(
          "the catalog can't be made from iceberg.catalog.*: " + e.getMessage(), e);
    } catch (RuntimeException e) {
      throw LakeException.passing("the catalog can't be reached: " + e.getMessage(), e);
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    lakes.forEach(IcebergLake::close);
    if (publisher != null) {
      publisher.close();
    }
    if (catalog instanceof Closeable closeable) {
      try {
        closeable.close();
      } catch (IOException e) {
        LOG.warn("The catalog could not be closed", e);
      }
    }
  }
}
