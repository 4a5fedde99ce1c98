package dev.tula.connect.sink;

import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.events.EventTopicNames;
import dev.tula.connect.sink.events.EventTopics;
import dev.tula.connect.sink.events.KafkaEventLog;
import dev.tula.connect.sink.fencing.LeaseKeeper;
import dev.tula.connect.sink.lake.CommitPermit;
import dev.tula.connect.sink.lake.IcebergCatalogs;
import dev.tula.connect.sink.lake.IcebergLake;
import dev.tula.connect.sink.lake.LakeOptions;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.connect.IcebergSinkConfig;

/**
 * A task's one connection to catalog and brokers, made when the first partition opens and shared by
 * all of them. Safe for any thread.
 */
final class LakeConnection implements PartitionPorts.Factory {
  /** The longest wait for one answer of a broker. */
  private static final Duration BROKER_LIMIT = Duration.ofSeconds(30);

  /** The longest wait for another partition that is being connected. */
  private static final Duration TURN_LIMIT = Duration.ofSeconds(30);

  private final SinkConfig config;
  private final String dataTopic;
  private final PipelineIdentity identity;
  private final Set<Runnable> open = ConcurrentHashMap.newKeySet();
  private final Map<Integer, LeaseKeeper> awaited = new HashMap<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Duration turnLimit;

  private volatile boolean closed;
  private Catalog catalog;
  private boolean topicsChecked;

  LakeConnection(SinkConfig config, String dataTopic) {
    this(config, dataTopic, TURN_LIMIT);
  }

  LakeConnection(SinkConfig config, String dataTopic, Duration turnLimit) {
    this.config = config;
    this.dataTopic = dataTopic;
    this.identity = config.identity();
    this.turnLimit = turnLimit;
  }

  /** Opens a partition's ports, having made sure of the topics and the catalog first (C2). */
  @Override
  public PartitionPorts open(int partition) {
    awaitTurn(partition);
    try {
      return openLocked(partition);
    } finally {
      lock.unlock();
      closeIfAsked();
    }
  }

  /**
   * One partition after the other: what one waits for, all would. With many partitions a wait
   * without an end would be as long as all their time limits together.
   */
  private void awaitTurn(int partition) {
    try {
      if (lock.tryLock(turnLimit.toMillis(), TimeUnit.MILLISECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw LakeException.passing(
          "interrupted while partition " + partition + " waited to be connected", e);
    }
    throw LakeException.passing(
        "partition "
            + partition
            + " waited "
            + turnLimit.toMillis()
            + " ms to be connected after another one of its task. See what keeps catalog, brokers or"
            + " lease store from answering that one",
        null);
  }

  private PartitionPorts openLocked(int partition) {
    if (closed) {
      throw LakeException.lasting("the task was stopped", null);
    }
    IcebergSinkConfig stock = config.stock();
    Map<String, String> client = client(stock);
    checkTopics(client);
    if (catalog == null) {
      catalog = IcebergCatalogs.build(stock);
    }
    Optional<LeaseKeeper> lease = takeLease(partition);
    try {
      return ports(partition, stock, client, lease);
    } catch (RuntimeException | Error e) {
      lease.ifPresent(LeaseKeeper::close); // else it is renewed for ever, and everybody waits
      throw e;
    }
  }

  private PartitionPorts ports(
      int partition,
      IcebergSinkConfig stock,
      Map<String, String> client,
      Optional<LeaseKeeper> lease) {
    IcebergLake lake =
        new IcebergLake(
            catalog,
            Namespace.of(config.namespace().split("\\.")),
            identity,
            partition,
            options(config, stock),
            lease.<CommitPermit>map(keeper -> keeper::check).orElse(CommitPermit.ALWAYS));
    KafkaEventLog events =
        new KafkaEventLog(
            client,
            topics(),
            EventIdentity.of(identity.stream(partition)),
            BROKER_LIMIT,
            BROKER_LIMIT);
    Runnable closing =
        CloseAll.of(lake::close, events::close, () -> lease.ifPresent(LeaseKeeper::close));
    open.add(closing);
    return new PartitionPorts(lake, events, lease, () -> closeOnce(closing));
  }

  static LakeOptions options(SinkConfig config, IcebergSinkConfig stock) {
    return LakeOptions.of(stock.autoCreateProps(), stock.writeProps())
        .withLimits(config.lakeCallTimeout(), config.lakeFileTimeout())
        .withMultiTable(config.multiTable())
        .withMaxRowGroupBytes(config.fileMemory().rowGroupBytes());
  }

  private void closeOnce(Runnable closing) {
    if (open.remove(closing)) {
      closing.run();
    }
  }

  /**
   * The same keeper is asked again after a try that found another holder, since it has watched how
   * long the lease stands still.
   */
  private Optional<LeaseKeeper> takeLease(int partition) {
    Optional<FencingSettings> settings = config.fencing();
    if (settings.isEmpty()) {
      return Optional.empty();
    }
    LeaseKeeper keeper =
        awaited.computeIfAbsent(
            partition,
            unused -> settings.get().keeper(config.connectorName(), identity, partition));
    keeper.take();
    awaited.remove(partition);
    return Optional.of(keeper);
  }

  private EventTopicNames topics() {
    return new EventTopicNames(config.commitsTopic(), config.checkpointsTopic());
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
    EventTopics.checkData(client, dataTopic, identity.partitionCount(), BROKER_LIMIT);
    short replicas = config.topicReplicationFactor();
    EventTopics.ensure(
        client,
        topics(),
        identity.partitionCount(),
        replicas < 0 ? Optional.empty() : Optional.of(replicas),
        BROKER_LIMIT);
    topicsChecked = true;
  }

  /** Does not wait for an opening that is under way; that one then closes what it made. */
  @Override
  public void close() {
    closed = true;
    closeIfAsked();
  }

  private void closeIfAsked() {
    if (closed && lock.tryLock()) {
      try {
        closeLocked();
      } finally {
        lock.unlock();
      }
    }
  }

  private void closeLocked() {
    open.forEach(this::closeOnce);
    awaited.values().forEach(LeaseKeeper::close);
    IcebergCatalogs.close(catalog);
    awaited.clear();
    catalog = null;
  }
}
