package dev.tula.connect.sink;

import static org.apache.kafka.common.config.ConfigDef.Importance.HIGH;
import static org.apache.kafka.common.config.ConfigDef.Importance.LOW;
import static org.apache.kafka.common.config.ConfigDef.Importance.MEDIUM;
import static org.apache.kafka.common.config.ConfigDef.Type.BOOLEAN;
import static org.apache.kafka.common.config.ConfigDef.Type.INT;
import static org.apache.kafka.common.config.ConfigDef.Type.LONG;
import static org.apache.kafka.common.config.ConfigDef.Type.PASSWORD;
import static org.apache.kafka.common.config.ConfigDef.Type.STRING;

import dev.tula.connect.model.config.PipelineSettings;
import dev.tula.connect.model.config.Setting;
import dev.tula.connect.model.config.Validators;
import dev.tula.connect.sink.engine.AssemblyLimits;
import dev.tula.connect.sink.engine.Layout;
import dev.tula.connect.sink.engine.PipelineIdentity;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.iceberg.connect.IcebergSinkConfig;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;

/**
 * The sink connector's configuration: the keys here, and beside them those of Iceberg's own sink
 * that say how to reach catalog, storage and Kafka, which mean just what they mean there. Reading
 * it checks each key alone; {@link SinkValidator} checks what they say together.
 */
public final class SinkConfig extends AbstractConfig {
  /** Connect's own key: the connector's name. */
  static final String NAME = "name";

  /** Connect's own key: the topic that the sink reads. */
  static final String TOPICS = "topics";

  /** The namespace of every table. */
  public static final String NAMESPACE = "iceberg.namespace";

  /** Whether a range's tables are committed in one transaction of the catalog's. */
  public static final String MULTI_TABLE = "tula.catalog.multi-table";

  /** The ledger cluster's id. */
  public static final String CLUSTER_ID = PipelineSettings.CLUSTER_ID;

  /** The pipeline's name. */
  public static final String PIPELINE = PipelineSettings.PIPELINE;

  /** The generation. */
  public static final String GENERATION = PipelineSettings.GENERATION;

  /** The number of export partitions, N. */
  public static final String PARTITION_COUNT = PipelineSettings.PARTITION_COUNT;

  /** How records are spread over tables. */
  public static final String LAYOUT = "tula.layout";

  /** Whether metadata changes are part of the stream. */
  public static final String INCLUDE_METADATA = PipelineSettings.INCLUDE_METADATA;

  /** Whether transactions carry balances and digest. */
  public static final String FULL_TXN_RECORD = PipelineSettings.FULL_TXN_RECORD;

  /** The digits of every amount column. */
  public static final String AMOUNT_PRECISION = "tula.amount.precision";

  /** The commits topic's base name. */
  public static final String COMMITS_TOPIC = "tula.commits.topic";

  /** The checkpoints topic's base name. */
  public static final String CHECKPOINTS_TOPIC = PipelineSettings.CHECKPOINTS_TOPIC;

  /** The replication factor of an event topic that is created. */
  public static final String TOPIC_REPLICATION_FACTOR = PipelineSettings.TOPIC_REPLICATION_FACTOR;

  /** The writer epoch. */
  public static final String WRITER_EPOCH = "tula.writer.epoch";

  /** How often a range is cut. */
  public static final String COMMIT_INTERVAL_MS = "tula.commit.interval.ms";

  /** The rows of a range. */
  public static final String COMMIT_MAX_ROWS = "tula.commit.max.rows";

  /** The bytes of a range. */
  public static final String COMMIT_MAX_BYTES = "tula.commit.max.bytes";

  /** How many tables a partition commits side by side. */
  public static final String COMMIT_THREADS = "tula.commit.threads";

  /** How often a commit is derived again. */
  public static final String COMMIT_MAX_ATTEMPTS = "tula.commit.max.attempts";

  /** How many rows are remembered to compare replays with. */
  public static final String REPLAY_WINDOW_ROWS = "tula.replay.window.rows";

  /** Bytes of records that wait before a partition is paused. */
  public static final String QUEUE_MAX_BYTES = "tula.queue.max.bytes";

  /** The memory of a task. */
  public static final String MEMORY_MAX_BYTES = "tula.memory.max.bytes";

  /** Whether a writer must hold a lease. */
  public static final String FENCING_ENABLED = "tula.fencing.enabled";

  /** Where leases are kept. */
  public static final String FENCING_URL = "tula.fencing.url";

  /** The database's user. */
  public static final String FENCING_USER = "tula.fencing.user";

  /** The database's password. */
  public static final String FENCING_PASSWORD = "tula.fencing.password";

  /** How long a lease lasts without a renewal. */
  public static final String FENCING_LEASE_MS = "tula.fencing.lease.ms";

  /** The first wait before something is tried again. */
  public static final String RETRY_BACKOFF_INITIAL_MS = "tula.retry.backoff.initial.ms";

  /** The longest wait before something is tried again. */
  public static final String RETRY_BACKOFF_MAX_MS = "tula.retry.backoff.max.ms";

  /** How long something is tried again before the task fails. */
  public static final String RETRY_TIMEOUT_MS = "tula.retry.timeout.ms";

  /** The longest that one call of the catalog may take. */
  public static final String LAKE_CALL_TIMEOUT_MS = "tula.lake.call.timeout.ms";

  /** The longest that writing or reading a range's rows may take. */
  public static final String LAKE_FILE_TIMEOUT_MS = "tula.lake.file.timeout.ms";

  /** How often a halt that was recorded before is looked for again. */
  public static final String HALT_CHECK_INTERVAL_MS = "tula.halt.check.interval.ms";

  /** The value of {@link #WRITER_EPOCH} that takes one more than the highest seen. */
  static final String AUTO = "auto";

  /** Stock keys that mean here what they mean in Iceberg's own sink. */
  static final List<String> STOCK_KEYS = List.of("iceberg.catalog", "iceberg.hadoop-conf-dir");

  /** Prefixes of stock keys that mean here what they mean in Iceberg's own sink. */
  static final List<String> STOCK_PREFIXES =
      List.of(
          "iceberg.catalog.",
          "iceberg.hadoop.",
          "iceberg.kafka.",
          "iceberg.tables.auto-create-props.",
          "iceberg.tables.write-props.");

  /** The memory of a row in the replay window. */
  static final long WINDOW_ROW_BYTES = 20;

  private static final String STREAM_GROUP = "Stream";
  private static final Setting.Builder STREAM =
      Setting.in(STREAM_GROUP).changing(Setting.Change.IDENTITY);
  private static final Setting.Builder LAKE = Setting.in("Lake");
  private static final Setting.Builder TOPICS_GROUP = Setting.in("Topics");
  private static final Setting.Builder COMMITS = Setting.in("Commits");
  private static final Setting.Builder FENCING = Setting.in("Fencing by leases").of(LOW);
  private static final Setting.Builder RETRIES = Setting.in("Limits and retries").of(LOW);

  private static final List<Setting> STREAM_SETTINGS =
      List.of(
          PipelineSettings.clusterId(
              STREAM_GROUP,
              "The id of the ledger cluster whose history this is, the same in source and sink."),
          PipelineSettings.pipeline("The pipeline's name, the same in source and sink."),
          PipelineSettings.generation(),
          PipelineSettings.partitionCount(),
          STREAM.with(
              LAYOUT,
              STRING,
              Layout.BY_TYPE.configName(),
              ConfigDef.ValidString.in(layoutNames()),
              "How transactions are spread over tables: by_type, by_mode or shared."),
          PipelineSettings.includeMetadata(
              "Whether account, ledger, currency, source and cluster changes are part of the stream."),
          PipelineSettings.fullTxnRecord(),
          STREAM
              .of(LOW)
              .with(
                  AMOUNT_PRECISION,
                  INT,
                  28,
                  Validators.between(18, 38),
                  "The digits of every amount column; a wider value is refused with its position."));

  private static final List<Setting> LAKE_SETTINGS =
      List.of(
          LAKE.of(HIGH)
              .changing(Setting.Change.IDENTITY)
              .required(
                  NAMESPACE,
                  STRING,
                  Validators.matching(
                      Pattern.compile("[A-Za-z0-9_]+(\\.[A-Za-z0-9_]+)*"),
                      "names of letters, digits and _, with dots between levels"),
                  "The namespace of every table; one pipeline has it to itself."),
          LAKE.of(LOW)
              .with(
                  MULTI_TABLE,
                  BOOLEAN,
                  false,
                  "Whether the data tables of a range are committed in one transaction of the catalog's; REST catalogs that"
                      + " offer it only. The watermark is always a later commit of its own."));

  private static final List<Setting> TOPIC_SETTINGS =
      List.of(
          TOPICS_GROUP.with(
              COMMITS_TOPIC,
              STRING,
              null,
              Validators.topicName(),
              "The topic that keeps one event for every table and range, by default <pipeline>.commits; generations after the"
                  + " first add .g<n>."),
          PipelineSettings.checkpointsTopic(
              "The topic of checkpoints and halts, which drives the source's ack, by default <pipeline>.checkpoints;"
                  + " generations after the first add .g<n>."),
          PipelineSettings.topicReplicationFactor(
              "The replication factor with which a missing event topic is created; -1 takes the broker's default."));

  private static final List<Setting> COMMIT_SETTINGS =
      List.of(
          COMMITS.with(
              WRITER_EPOCH,
              STRING,
              AUTO,
              Validators.matching(
                  Pattern.compile("auto|[1-9][0-9]{0,17}"), "auto or a whole number from 1"),
              "The writer epoch: auto takes one more than the highest seen; a number lower than that is refused."),
          COMMITS
              .of(HIGH)
              .with(
                  COMMIT_INTERVAL_MS,
                  LONG,
                  60_000L,
                  Validators.between(100, 86_400_000),
                  "How often, in ms, a range is committed; small files and table metadata grow with its inverse."),
          COMMITS.with(
              COMMIT_MAX_ROWS,
              INT,
              500_000,
              Validators.between(1, 50_000_000),
              "A range is committed earlier once it has so many rows."),
          COMMITS.with(
              COMMIT_MAX_BYTES,
              LONG,
              128L << 20,
              Validators.between(1L << 16, 4L << 30),
              "A range is committed earlier once its rows take so many bytes of memory; a partition holds up to two such"
                  + " ranges, within "
                  + MEMORY_MAX_BYTES
                  + "."),
          COMMITS
              .of(LOW)
              .with(
                  COMMIT_THREADS,
                  INT,
                  8,
                  Validators.between(1, 256),
                  "How many tables a partition commits side by side, on threads that no other partition's calls can take, and the most"
                      + " files that a task writes side by side."),
          COMMITS
              .of(LOW)
              .with(
                  COMMIT_MAX_ATTEMPTS,
                  INT,
                  20,
                  Validators.between(1, 1_000),
                  "How often one commit is derived again, after a conflict, before the task fails."));

  private static final List<Setting> FENCING_SETTINGS =
      List.of(
          FENCING.with(
              FENCING_ENABLED,
              BOOLEAN,
              false,
              "Whether a writer must hold a lease to commit, for two Connect clusters over one lake."),
          FENCING.with(
              FENCING_URL,
              STRING,
              null,
              Validators.matching(
                  Pattern.compile("(file:/|jdbc:).+"), "a file: URL of a folder, or a jdbc: URL"),
              "Where leases are kept: a folder that all writers share, or a database, in whose table tula_lease they are."),
          FENCING.with(FENCING_USER, STRING, null, "The database's user, if it wants one."),
          FENCING.with(FENCING_PASSWORD, PASSWORD, null, "That user's password."),
          FENCING.with(
              FENCING_LEASE_MS,
              LONG,
              30_000L,
              Validators.between(1_000, 3_600_000),
              "How long, in ms, a lease lasts without a renewal: so long a partition waits after its writer was killed."));

  private static final List<Setting> LIMIT_SETTINGS =
      List.of(
          RETRIES
              .of(MEDIUM)
              .with(
                  MEMORY_MAX_BYTES,
                  LONG,
                  512L << 20,
                  Validators.between(4L << 20, 1L << 40),
                  "The bytes of memory that a task uses for records and files, all its partitions together; when they are"
                      + " used up, ranges are committed earlier and partitions paused."),
          RETRIES.with(
              REPLAY_WINDOW_ROWS,
              INT,
              1_500_000,
              Validators.between(2, 200_000_000),
              "How many rows a partition remembers, at 20 bytes each, to compare replays with; at least twice "
                  + COMMIT_MAX_ROWS
                  + ". Once committed they are forgotten earlier where all windows of a task would take more than an eighth of "
                  + MEMORY_MAX_BYTES
                  + "."),
          RETRIES.with(
              QUEUE_MAX_BYTES,
              LONG,
              16L << 20,
              Validators.between(1L << 16, 4L << 30),
              "A Kafka partition is paused while records that take so many bytes of memory wait."),
          RETRIES.with(
              RETRY_BACKOFF_INITIAL_MS,
              LONG,
              200L,
              Validators.between(1, 600_000),
              "The first wait, in ms, before a call that may pass is tried again; it doubles each time."),
          RETRIES.with(
              RETRY_BACKOFF_MAX_MS,
              LONG,
              30_000L,
              Validators.between(1, 3_600_000),
              "The longest wait, in ms, between two tries."),
          RETRIES.with(
              RETRY_TIMEOUT_MS,
              LONG,
              600_000L,
              Validators.between(0, 86_400_000),
              "How long, in ms, catalog, storage and brokers may fail before the task fails too; nothing is lost then."),
          RETRIES.with(
              LAKE_CALL_TIMEOUT_MS,
              LONG,
              60_000L,
              Validators.between(1_000, 3_600_000),
              "The longest, in ms, that one call of the catalog may take, retries of its client and all, before it is given up"
                  + " and tried again."),
          RETRIES.with(
              LAKE_FILE_TIMEOUT_MS,
              LONG,
              600_000L,
              Validators.between(1_000, 86_400_000),
              "The longest, in ms, that writing a table's file of a range, or reading rows back, may take before it is given up"
                  + " and tried again."),
          RETRIES.with(
              HALT_CHECK_INTERVAL_MS,
              LONG,
              60_000L,
              Validators.between(100, 86_400_000),
              "How often, in ms, a partition that stands still for a recorded halt, beside others of its task that run, is"
                  + " looked at again, to go on once the halt is cleared."));

  private static final List<Setting> SETTINGS =
      Stream.of(
              STREAM_SETTINGS,
              LAKE_SETTINGS,
              TOPIC_SETTINGS,
              COMMIT_SETTINGS,
              FENCING_SETTINGS,
              LIMIT_SETTINGS)
          .flatMap(List::stream)
          .toList();

  private static final ConfigDef CONFIG_DEF = Setting.configDef(SETTINGS);

  /**
   * Reads a connector's or a task's properties.
   *
   * @throws org.apache.kafka.common.config.ConfigException naming the first key at fault
   */
  public SinkConfig(Map<String, String> properties) {
    super(CONFIG_DEF, properties, false);
  }

  private static String[] layoutNames() {
    return Stream.of(Layout.values()).map(Layout::configName).toArray(String[]::new);
  }

  /** Every key of our own, in the order of the documentation. */
  public static List<Setting> settings() {
    return SETTINGS;
  }

  static ConfigDef configDef() {
    return new ConfigDef(CONFIG_DEF);
  }

  /** The connector's name, or the pipeline's where nobody gave it one. */
  public String connectorName() {
    return originalsStrings().getOrDefault(NAME, getString(PIPELINE));
  }

  /** The pipeline that this configuration describes. */
  public PipelineIdentity identity() {
    return new PipelineIdentity(
        getString(CLUSTER_ID),
        getString(PIPELINE),
        getInt(GENERATION),
        getInt(PARTITION_COUNT),
        Layout.ofConfigName(getString(LAYOUT)),
        getBoolean(INCLUDE_METADATA),
        getBoolean(FULL_TXN_RECORD),
        getInt(AMOUNT_PRECISION),
        PipelineIdentity.FORMAT);
  }

  /** The namespace, level by level joined with dots. */
  public String namespace() {
    return getString(NAMESPACE);
  }

  /** Whether a range's tables are committed in one transaction of the catalog's (C22). */
  public boolean multiTable() {
    return getBoolean(MULTI_TABLE);
  }

  /** The commits topic of this generation. */
  public String commitsTopic() {
    return PipelineSettings.eventTopic(this, COMMITS_TOPIC, ".commits");
  }

  /** The checkpoints topic of this generation. */
  public String checkpointsTopic() {
    return PipelineSettings.checkpointsTopic(this);
  }

  /** The replication factor for event topics that are created; −1 for the broker's default. */
  public short topicReplicationFactor() {
    return getShort(TOPIC_REPLICATION_FACTOR);
  }

  /** The configured writer epoch; absent for {@code auto}. */
  public OptionalLong writerEpoch() {
    String epoch = getString(WRITER_EPOCH);
    return epoch.equals(AUTO) ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(epoch));
  }

  /** When ranges are cut. */
  public AssemblyLimits assemblyLimits() {
    return new AssemblyLimits(
        getInt(COMMIT_MAX_ROWS), getLong(COMMIT_MAX_BYTES), getInt(REPLAY_WINDOW_ROWS));
  }

  /** How often a range is cut, in ms. */
  public long commitIntervalMs() {
    return getLong(COMMIT_INTERVAL_MS);
  }

  /** How leases are kept; absent where none are. */
  Optional<FencingSettings> fencing() {
    return getBoolean(FENCING_ENABLED)
        ? Optional.of(
            new FencingSettings(
                getString(FENCING_URL),
                Optional.ofNullable(getString(FENCING_USER)),
                Optional.ofNullable(getPassword(FENCING_PASSWORD)),
                getLong(FENCING_LEASE_MS)))
        : Optional.empty();
  }

  /** How many tables a partition commits side by side. */
  public int commitThreads() {
    return getInt(COMMIT_THREADS);
  }

  /** How often a commit is derived again. */
  public int commitMaxAttempts() {
    return getInt(COMMIT_MAX_ATTEMPTS);
  }

  /** A partition is paused while so many bytes wait. */
  public long queueMaxBytes() {
    return getLong(QUEUE_MAX_BYTES);
  }

  /** The memory of a task, in bytes. */
  public long memoryMaxBytes() {
    return getLong(MEMORY_MAX_BYTES);
  }

  /** How the part of it that is for files is spent. */
  FileMemory fileMemory() {
    return FileMemory.of(memoryMaxBytes(), commitThreads());
  }

  /** How failed calls are tried again. */
  public Backoff backoff() {
    return new Backoff(
        getLong(RETRY_BACKOFF_INITIAL_MS),
        getLong(RETRY_BACKOFF_MAX_MS),
        getLong(RETRY_TIMEOUT_MS));
  }

  /** The longest that one call of the catalog may take. */
  public Duration lakeCallTimeout() {
    return Duration.ofMillis(getLong(LAKE_CALL_TIMEOUT_MS));
  }

  /** The longest that writing or reading a range's rows may take. */
  public Duration lakeFileTimeout() {
    return Duration.ofMillis(getLong(LAKE_FILE_TIMEOUT_MS));
  }

  /** How often a halt that was recorded before is looked for again, in ms. */
  long haltCheckIntervalMs() {
    return getLong(HALT_CHECK_INTERVAL_MS);
  }

  /**
   * Iceberg's own reading of the same properties: catalog, Hadoop, Kafka-client, write and
   * auto-create properties. It insists on table names, so it is given the layout's.
   */
  public IcebergSinkConfig stock() {
    return stock(originalsStrings(), identity());
  }

  static IcebergSinkConfig stock(Map<String, String> properties, PipelineIdentity identity) {
    Map<String, String> stock = new HashMap<>(properties);
    String tables =
        identity.tables().stream()
            .map(table -> properties.get(NAMESPACE) + "." + table.name())
            .collect(Collectors.joining(","));
    stock.put("iceberg.tables", tables);
    return new IcebergSinkConfig(stock);
  }
}
