package dev.tula.connect.lake.state;

import dev.tula.connect.lake.config.SinkSettings;
import dev.tula.connect.lake.output.ExitCode;
import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.sink.SinkConfig;
import dev.tula.connect.sink.engine.EventLog;
import dev.tula.connect.sink.engine.Lake;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.engine.TableNames;
import dev.tula.connect.sink.events.EventTopicNames;
import dev.tula.connect.sink.events.KafkaEventLog;
import dev.tula.connect.sink.lake.IcebergCatalogs;
import dev.tula.connect.sink.lake.IcebergLake;
import dev.tula.connect.sink.lake.LakeOptions;
import dev.tula.connect.source.SourceConfig;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.iceberg.catalog.Catalog;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.connect.IcebergSinkConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A run's connections to catalog and brokers, through the sink's own engine and configuration. What
 * it opens is closed with it.
 *
 * <p>For one thread.
 */
public final class LakeSession implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LakeSession.class);
  private static final Duration EVENT_LIMIT = Duration.ofSeconds(60);
  private static final int LOADING_THREADS = 8;

  private final SinkConfig config;
  private final Map<String, String> kafka;
  private final PipelineIdentity identity;
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final Catalog catalog;
  private final EventTopic checkpoints;
  private final ExecutorService loading;

  /**
   * Connects.
   *
   * @throws ToolException if catalog or Kafka clients can't be set up
   */
  public LakeSession(SinkSettings settings) {
    this.config = settings.config();
    this.kafka = settings.kafka();
    this.identity = config.identity();
    this.catalog = catalog(config.stock());
    opened.push(() -> IcebergCatalogs.close(catalog));
    this.loading = Executors.newFixedThreadPool(LOADING_THREADS, LakeSession::daemon);
    opened.push(loading::shutdownNow);
    this.checkpoints = topic(config.checkpointsTopic());
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "tula-lake-loading");
    thread.setDaemon(true);
    return thread;
  }

  private static Catalog catalog(IcebergSinkConfig stock) {
    try {
      return IcebergCatalogs.build(stock);
    } catch (RuntimeException e) {
      throw ToolException.error(
          "the catalog can't be opened with iceberg.catalog.*: " + e.getMessage(), e);
    }
  }

  /** The configured pipeline. */
  public PipelineIdentity identity() {
    return identity;
  }

  /** The namespace of its tables. */
  public String namespace() {
    return config.namespace();
  }

  /**
   * The partitions to look at.
   *
   * @param chosen some of them; empty for all
   * @throws ToolException if one does not exist
   */
  public List<Integer> partitions(List<Integer> chosen) {
    List<Integer> partitions = new ArrayList<>();
    for (int i = 0; i < identity.partitionCount(); i++) {
      if (chosen.isEmpty() || chosen.contains(i)) {
        partitions.add(i);
      }
    }
    for (int partition : chosen) {
      if (!partitions.contains(partition)) {
        throw new ToolException(
            ExitCode.USAGE,
            "there is no partition "
                + partition
                + ": the pipeline has "
                + identity.partitionCount()
                + ", counted from 0",
            null);
      }
    }
    return partitions;
  }

  /**
   * Holds the configured identity against the recorded one (C2).
   *
   * @return the fault that keeps it from being told; absent where all is well, or nothing was
   *     written yet
   * @throws ToolException with {@link ExitCode#IDENTITY} if they differ
   */
  public Optional<String> checkIdentity() {
    Lake.IdentityLookup lookup = lookUpIdentity();
    String table = names().pipeline();
    if (lookup.properties().isEmpty()) {
      return lookup
          .watermarkTable()
          .map(
              watermark ->
                  "table "
                      + table
                      + " is missing, while table "
                      + watermark
                      + " of its generation exists");
    }
    List<String> differences = identity.differencesFrom(lookup.properties().get());
    if (!differences.isEmpty()) {
      throw new ToolException(
          ExitCode.IDENTITY,
          "table "
              + config.namespace()
              + "."
              + table
              + " records another identity: "
              + String.join("; ", differences)
              + ". Use the configuration that the sink runs with, or another iceberg.namespace",
          null);
    }
    return Optional.empty();
  }

  private Lake.IdentityLookup lookUpIdentity() {
    try (IcebergLake lake = newLake(0)) {
      return Retries.call(lake::lookUpIdentity);
    }
  }

  /** What is noted under a property beside the identity. */
  public Optional<String> noted(String property) {
    return lookUpIdentity().properties().map(properties -> properties.get(property));
  }

  /** Looks at a partition. */
  public PartitionReading read(int partition) {
    try (IcebergLake lake = newLake(partition)) {
      PartitionReader reader = new PartitionReader(identity, partition, checkpoints, lake, loading);
      return Retries.call(reader::read);
    }
  }

  /** A partition's tables, the caller's to close. */
  public IcebergLake newLake(int partition) {
    return newLake(identity, partition);
  }

  /** A partition's tables in another generation, the caller's to close. */
  public IcebergLake newLake(PipelineIdentity other, int partition) {
    IcebergSinkConfig stock = config.stock();
    return new IcebergLake(
        catalog,
        Namespace.of(config.namespace().split("\\.")),
        other,
        partition,
        LakeOptions.of(stock.autoCreateProps(), stock.writeProps())
            .withLimits(config.lakeCallTimeout(), config.lakeFileTimeout()));
  }

  /** The commits topic of this generation, open until the session is closed. */
  public EventTopic commits() {
    return topic(config.commitsTopic());
  }

  /** A data topic, of which only offsets are of interest, open until the session is closed. */
  public EventTopic data(String name) {
    return topic(name);
  }

  /** The checkpoints topic of this generation. */
  public EventTopic checkpoints() {
    return checkpoints;
  }

  private EventTopic topic(String name) {
    EventTopic topic = EventTopic.open(kafka, name);
    opened.push(topic);
    return topic;
  }

  /** Publishes to a partition's event topics, open until the session is closed. */
  public EventLog publisher(int partition) {
    KafkaEventLog log =
        new KafkaEventLog(
            kafka,
            new EventTopicNames(config.commitsTopic(), config.checkpointsTopic()),
            EventIdentity.of(identity.stream(partition)),
            EVENT_LIMIT,
            EVENT_LIMIT);
    opened.push(log);
    return log;
  }

  /**
   * Refuses a pipeline whose records are changed on their way: what the ledger has is not what is
   * in the lake then.
   *
   * @throws ToolException naming the connector that changes them
   */
  public void refuseTransforms(SourceConfig source) {
    refuseTransforms("sink", config.originals());
    refuseTransforms("source", source.originals());
  }

  private static void refuseTransforms(String connector, Map<String, Object> properties) {
    Object transforms = properties.get("transforms");
    if (transforms != null && !transforms.toString().isBlank()) {
      throw ToolException.error(
          "the "
              + connector
              + " has transforms="
              + transforms
              + ", so its records need not be the ledger's, and the lake can't be repaired from there");
    }
  }

  /** The names of the generation's tables. */
  public TableNames names() {
    return new TableNames(identity.generation(), identity.partitionCount());
  }

  @Override
  public void close() {
    while (!opened.isEmpty()) {
      try {
        opened.pop().close();
      } catch (Exception e) {
        LOG.warn("A connection could not be closed", e);
      }
    }
  }
}
