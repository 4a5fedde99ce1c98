package dev.tula.connect.source;

import static org.apache.kafka.common.config.ConfigDef.Importance.HIGH;
import static org.apache.kafka.common.config.ConfigDef.Importance.LOW;
import static org.apache.kafka.common.config.ConfigDef.Type.BOOLEAN;
import static org.apache.kafka.common.config.ConfigDef.Type.INT;
import static org.apache.kafka.common.config.ConfigDef.Type.LONG;
import static org.apache.kafka.common.config.ConfigDef.Type.STRING;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.model.config.PipelineSettings;
import dev.tula.connect.model.config.Setting;
import dev.tula.connect.model.config.Validators;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.queryport.QueryPortConfig;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;

/**
 * The source connector's configuration. Reading it checks each key alone; {@link SourceValidator}
 * checks what they say together.
 */
public final class SourceConfig extends AbstractConfig {
  /** Connect's own key: the connector's name. */
  static final String NAME = "name";

  /** The pipeline's name. */
  public static final String PIPELINE = PipelineSettings.PIPELINE;

  /** The generation. */
  public static final String GENERATION = PipelineSettings.GENERATION;

  /** The number of export partitions, N. */
  public static final String PARTITION_COUNT = PipelineSettings.PARTITION_COUNT;

  /** Whether metadata changes are part of the stream. */
  public static final String INCLUDE_METADATA = PipelineSettings.INCLUDE_METADATA;

  /** Whether transactions carry balances and digest. */
  public static final String FULL_TXN_RECORD = PipelineSettings.FULL_TXN_RECORD;

  /** Where a generation begins. */
  public static final String START_POSITION = "tula.start.position";

  /** Whether a generation is seeded with the state at its start. */
  public static final String BOOTSTRAP = "tula.bootstrap";

  /** What a Kafka record holds. */
  public static final String RECORD_FORMAT = "tula.record.format";

  /** The data topic's base name. */
  public static final String TOPIC = "tula.topic";

  /** The checkpoints topic's base name. */
  public static final String CHECKPOINTS_TOPIC = PipelineSettings.CHECKPOINTS_TOPIC;

  /** The replication factor of a data topic that is created. */
  public static final String TOPIC_REPLICATION_FACTOR = PipelineSettings.TOPIC_REPLICATION_FACTOR;

  /** The retention of a data topic. */
  public static final String TOPIC_RETENTION_MS = "tula.topic.retention.ms";

  /** The in-sync replicas that a data topic demands. */
  public static final String TOPIC_MIN_INSYNC_REPLICAS = "tula.topic.min.insync.replicas";

  /** Records in a page, at most. */
  public static final String PAGE_MAX_RECORDS = "tula.page.max.records";

  /** Bytes of records in a page, at most. */
  public static final String PAGE_MAX_BYTES = "tula.page.max.bytes";

  /** How long the engine waits for something new before it answers an empty page. */
  public static final String FETCH_WAIT_MS = "tula.fetch.wait.ms";

  /** Bytes read ahead of Connect. */
  public static final String QUEUE_MAX_BYTES = "tula.queue.max.bytes";

  /** Records that one poll returns, at most. */
  public static final String POLL_MAX_RECORDS = "tula.poll.max.records";

  /** Whether a closed-through time that went back stops the export. */
  public static final String STRICT_CLOSED_THROUGH = "tula.strict.closed.through";

  /** Whether each page takes or renews a lease. */
  public static final String REGISTER_EXPORT_LEASE = "tula.register.export.lease";

  /** Whether a follower may be read. */
  public static final String ALLOW_FOLLOWER_READS = "tula.allow.follower.reads";

  /** What the settings of the Kafka clients begin with. */
  public static final String KAFKA_PREFIX = "tula.kafka.";

  /** The brokers of the data and checkpoints topics. */
  public static final String KAFKA_BOOTSTRAP_SERVERS =
      KAFKA_PREFIX + CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG;

  /** Set by the connector for its tasks: the export partitions of the task. */
  static final String TASK_PARTITIONS = "tula.internal.task.partitions";

  /** Set by the connector for its tasks: which task it is. */
  static final String TASK_INDEX = "tula.internal.task.index";

  static final String EARLIEST = "earliest";
  static final String FLOOR = "floor";
  static final String BOOTSTRAP_NONE = "none";
  static final String BOOTSTRAP_INITIAL = "initial";
  static final String FORMAT_ROW = "row";

  private static final int MAX_GROUP_SIZE = 32;

  private static final Setting.Builder STREAM = Setting.in("Stream");
  private static final Setting.Builder TOPICS = Setting.in("Topics");
  private static final Setting.Builder FETCHING = Setting.in("Reading");
  private static final Setting.Builder LEASES = Setting.in("Leases and acks");

  private static final List<Setting> STREAM_SETTINGS =
      List.of(
          PipelineSettings.pipeline(
              "The pipeline's name, under which the engine keeps its lease and acks, the same in"
                  + " source and sink."),
          PipelineSettings.generation(),
          PipelineSettings.partitionCount(),
          PipelineSettings.includeMetadata(
              "Whether account, ledger, currency, source and cluster changes are exported too."),
          PipelineSettings.fullTxnRecord(),
          STREAM.with(
              START_POSITION,
              STRING,
              EARLIEST,
              SettingRules.startPosition(),
              "Where a generation without source offsets begins: earliest (from the origin, refused if"
                  + " the engine no longer has it), floor (at the engine's reclaim floor, knowingly"
                  + " leaving the older part out) or the end of a batch, 42:2147483647 for"
                  + " number 42."),
          STREAM.with(
              BOOTSTRAP,
              STRING,
              BOOTSTRAP_NONE,
              Validators.matching(
                  Pattern.compile(BOOTSTRAP_NONE + "|" + BOOTSTRAP_INITIAL), "none or initial"),
              "Whether a generation without source offsets is seeded, given "
                  + INCLUDE_METADATA
                  + ", with accounts and registries as they were where it begins (initial; earliest is"
                  + " the engine's reclaim floor then) or not (none)."),
          STREAM
              .of(LOW)
              .with(
                  RECORD_FORMAT,
                  STRING,
                  FORMAT_ROW,
                  SettingRules.only(FORMAT_ROW, "page"),
                  "What a Kafka record holds; row, one ledger record, is what this version has."));

  private static final List<Setting> TOPIC_SETTINGS =
      List.of(
          TOPICS
              .of(HIGH)
              .required(
                  TOPIC,
                  STRING,
                  Validators.topicName(),
                  "The data topic's name; generations after the first add .g<n>."),
          PipelineSettings.checkpointsTopic(
              "The sink's checkpoints topic, which drives the ack, by default <pipeline>.checkpoints;"
                  + " generations after the first add .g<n>."),
          PipelineSettings.topicReplicationFactor(
              "The replication factor with which a missing data topic is created; -1 takes the"
                  + " broker's default."),
          TOPICS.with(
              TOPIC_RETENTION_MS,
              LONG,
              604_800_000L,
              Validators.between(-1, Long.MAX_VALUE),
              "How long, in ms, the data topic has to keep records: set on a topic that is created,"
                  + " demanded of one that exists; -1 keeps them for ever."),
          TOPICS
              .of(LOW)
              .with(
                  TOPIC_MIN_INSYNC_REPLICAS,
                  INT,
                  -1,
                  Validators.between(-1, Short.MAX_VALUE),
                  "min.insync.replicas of a data topic that is created; -1 takes the broker's"
                      + " default."),
          TOPICS
              .of(HIGH)
              .required(
                  KAFKA_BOOTSTRAP_SERVERS,
                  STRING,
                  Validators.matching(Pattern.compile("\\S.*"), "host:port, …"),
                  "The brokers of the data and checkpoints topics; any other setting of a Kafka client"
                      + " can stand beside it after tula.kafka."));

  private static final List<Setting> READING_SETTINGS =
      List.of(
          FETCHING.with(
              PAGE_MAX_RECORDS,
              INT,
              10_000,
              Validators.between(1, 1_000_000),
              "The most records that are asked for at a time."),
          FETCHING.with(
              PAGE_MAX_BYTES,
              INT,
              4 << 20,
              Validators.between(SourceValidator.MIN_PAGE_BYTES, 128 << 20),
              "The most bytes of records that are asked for at a time."),
          FETCHING.with(
              FETCH_WAIT_MS,
              INT,
              5_000,
              Validators.between(0, 60_000),
              "How long, in ms, the engine waits for something new before it answers that there is"
                  + " nothing; a lease is renewed once in that time, so keep it well below the engine's"
                  + " export_lease_ttl_ms."),
          FETCHING.with(
              QUEUE_MAX_BYTES,
              LONG,
              32L << 20,
              Validators.between(1L << 20, 8L << 30),
              "How many bytes of memory a task reads ahead of Connect."),
          FETCHING
              .of(LOW)
              .with(
                  POLL_MAX_RECORDS,
                  INT,
                  4_000,
                  Validators.between(1, 100_000),
                  "The most records that are handed to Connect at a time; with"
                      + " transaction.boundary=connector it is always a whole page."),
          FETCHING
              .of(LOW)
              .with(
                  STRICT_CLOSED_THROUGH,
                  BOOLEAN,
                  true,
                  "Whether the export stops when the engine takes back a time that it had declared"
                      + " closed, or only counts it."),
          LEASES.with(
              REGISTER_EXPORT_LEASE,
              BOOLEAN,
              true,
              "Whether reading holds the engine's history at this pipeline's position."),
          LEASES.with(
              ALLOW_FOLLOWER_READS,
              BOOLEAN,
              false,
              "Whether a follower may be read; nothing is acked then, so that history is kept for this"
                  + " pipeline by age alone."));

  private static final List<Setting> SETTINGS =
      Stream.of(QueryPortConfig.settings(), STREAM_SETTINGS, TOPIC_SETTINGS, READING_SETTINGS)
          .flatMap(List::stream)
          .toList();

  private static final ConfigDef CONFIG_DEF = Setting.configDef(SETTINGS);

  private final QueryPortConfig queryPort;

  /**
   * Reads a connector's or a task's properties.
   *
   * @throws org.apache.kafka.common.config.ConfigException naming the first key at fault
   */
  public SourceConfig(Map<String, String> properties) {
    super(CONFIG_DEF, properties, false);
    this.queryPort = new QueryPortConfig(properties);
  }

  /** Every key, in the order of the documentation. */
  public static List<Setting> settings() {
    return SETTINGS;
  }

  /** The ConfigDef of every key. */
  static ConfigDef configDef() {
    return new ConfigDef(CONFIG_DEF);
  }

  /** How to reach the engine. */
  public QueryPortConfig queryPort() {
    return queryPort;
  }

  /** The connector's name, or the pipeline's where nobody gave it one. */
  String connectorName() {
    return originalsStrings().getOrDefault(NAME, pipeline());
  }

  String pipeline() {
    return getString(PIPELINE);
  }

  int generation() {
    return getInt(GENERATION);
  }

  int partitionCount() {
    return getInt(PARTITION_COUNT);
  }

  /** The identity of one export partition's stream. */
  public StreamIdentity identity(int partition) {
    return new StreamIdentity(
        queryPort.clusterId(),
        pipeline(),
        generation(),
        partition,
        partitionCount(),
        getBoolean(INCLUDE_METADATA),
        getBoolean(FULL_TXN_RECORD));
  }

  /** The data topic's name in this generation. */
  String topic() {
    return StreamIdentity.topic(getString(TOPIC), generation());
  }

  /** The checkpoints topic's name in this generation. */
  String checkpointsTopic() {
    return PipelineSettings.checkpointsTopic(this);
  }

  short topicReplicationFactor() {
    return getShort(TOPIC_REPLICATION_FACTOR);
  }

  long topicRetentionMs() {
    return getLong(TOPIC_RETENTION_MS);
  }

  int topicMinInsyncReplicas() {
    return getInt(TOPIC_MIN_INSYNC_REPLICAS);
  }

  /** The position after which a generation begins, where the configuration names one. */
  Optional<Position> startPosition() {
    String text = getString(START_POSITION);
    return switch (text) {
      case EARLIEST -> Optional.of(Position.ORIGIN);
      case FLOOR -> Optional.empty();
      default -> Optional.of(Position.parse(text));
    };
  }

  /** Whether metadata changes are part of the stream. */
  boolean includeMetadata() {
    return getBoolean(INCLUDE_METADATA);
  }

  /** Whether a generation begins with the state at its start. */
  boolean bootstrap() {
    return getString(BOOTSTRAP).equals(BOOTSTRAP_INITIAL);
  }

  int pageMaxRecords() {
    return getInt(PAGE_MAX_RECORDS);
  }

  int pageMaxBytes() {
    return getInt(PAGE_MAX_BYTES);
  }

  int fetchWaitMs() {
    return getInt(FETCH_WAIT_MS);
  }

  long queueMaxBytes() {
    return getLong(QUEUE_MAX_BYTES);
  }

  int pollMaxRecords() {
    return getInt(POLL_MAX_RECORDS);
  }

  boolean strictClosedThrough() {
    return getBoolean(STRICT_CLOSED_THROUGH);
  }

  boolean followerReads() {
    return getBoolean(ALLOW_FOLLOWER_READS);
  }

  boolean lease() {
    return getBoolean(REGISTER_EXPORT_LEASE);
  }

  /**
   * Whether the export partitions form a group, which alone earns a partitioned pipeline credit.
   */
  boolean group() {
    int count = partitionCount();
    return lease() && !followerReads() && count >= 2 && count <= MAX_GROUP_SIZE;
  }

  /** Why acks earn no credit with the engine; empty if they do, as far as this pipeline goes. */
  Optional<String> noCreditReason() {
    if (followerReads()) {
      return Optional.of(ALLOW_FOLLOWER_READS + "=true, and only the leader is acked");
    }
    if (partitionCount() == 1 || group()) {
      return Optional.empty();
    }
    return Optional.of(
        lease()
            ? PARTITION_COUNT
                + "="
                + partitionCount()
                + " is above "
                + MAX_GROUP_SIZE
                + ", the most members of a group"
            : REGISTER_EXPORT_LEASE + "=false, and the partitions form a group by leases alone");
  }

  /** What every FETCH asks for. */
  Message.FetchOptions fetchOptions() {
    return new Message.FetchOptions(
        getBoolean(INCLUDE_METADATA),
        getBoolean(FULL_TXN_RECORD),
        lease(),
        group(),
        followerReads());
  }

  /** The settings of the Kafka clients, by Kafka's own names. */
  Map<String, Object> kafkaClient() {
    return new HashMap<>(originalsWithPrefix(KAFKA_PREFIX));
  }

  /** Of a task: its export partitions. */
  List<Integer> taskPartitions() {
    String list = originalsStrings().getOrDefault(TASK_PARTITIONS, "");
    return list.isEmpty() ? List.of() : Stream.of(list.split(",")).map(Integer::valueOf).toList();
  }

  /** Of a task: which one it is. */
  int taskIndex() {
    return Integer.parseInt(originalsStrings().getOrDefault(TASK_INDEX, "0"));
  }

  /** The owner of an export partition's lease. */
  String clientName(int partition) {
    return connectorName() + "-" + partition;
  }
}
