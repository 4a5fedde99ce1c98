package dev.tula.connect.model.config;

import static org.apache.kafka.common.config.ConfigDef.Type.BOOLEAN;
import static org.apache.kafka.common.config.ConfigDef.Type.INT;
import static org.apache.kafka.common.config.ConfigDef.Type.SHORT;
import static org.apache.kafka.common.config.ConfigDef.Type.STRING;

import dev.tula.connect.model.StreamIdentity;
import java.util.regex.Pattern;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;

/**
 * The keys that source and sink of a pipeline both take, and have to be given alike. What a key
 * takes is said here, once; where it means something else to each, the connector says what.
 */
public final class PipelineSettings {
  /** The id of the ledger cluster. */
  public static final String CLUSTER_ID = "tula.cluster.id";

  /** The pipeline's name. */
  public static final String PIPELINE = "tula.pipeline";

  /** The generation. */
  public static final String GENERATION = "tula.generation";

  /** The number of export partitions, N. */
  public static final String PARTITION_COUNT = "tula.partition.count";

  /** Whether metadata changes are part of the stream. */
  public static final String INCLUDE_METADATA = "tula.include.metadata";

  /** Whether transactions carry balances and digest. */
  public static final String FULL_TXN_RECORD = "tula.full.txn.record";

  /** The checkpoints topic's base name. */
  public static final String CHECKPOINTS_TOPIC = "tula.checkpoints.topic";

  /** The replication factor of a topic that is created. */
  public static final String TOPIC_REPLICATION_FACTOR = "tula.topic.replication.factor";

  /** The highest N. */
  public static final int MAX_PARTITION_COUNT = 4_096;

  private static final Setting.Builder STREAM =
      Setting.in("Stream").changing(Setting.Change.IDENTITY);
  private static final Setting.Builder TOPICS = Setting.in("Topics");

  private PipelineSettings() {}

  /**
   * {@link #CLUSTER_ID}.
   *
   * @param group what it belongs to in the connector
   */
  public static Setting clusterId(String group, String doc) {
    return Setting.in(group)
        .changing(Setting.Change.IDENTITY)
        .of(ConfigDef.Importance.HIGH)
        .required(
            CLUSTER_ID,
            STRING,
            Validators.matching(Pattern.compile("\\S{1,255}"), "1 to 255 characters, no space"),
            doc);
  }

  /** {@link #PIPELINE}. */
  public static Setting pipeline(String doc) {
    return STREAM
        .of(ConfigDef.Importance.HIGH)
        .required(
            PIPELINE,
            STRING,
            Validators.matching(
                Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}"),
                "1 to 100 letters, digits, . - or _, a letter or digit first"),
            doc);
  }

  /** {@link #GENERATION}. */
  public static Setting generation() {
    return STREAM
        .changing(Setting.Change.GENERATION)
        .with(
            GENERATION,
            INT,
            1,
            Validators.between(1, Integer.MAX_VALUE),
            "The pipeline's generation; a reseed opens the next one, in new topics and tables.");
  }

  /** {@link #PARTITION_COUNT}. */
  public static Setting partitionCount() {
    return STREAM.with(
        PARTITION_COUNT,
        INT,
        1,
        Validators.between(1, MAX_PARTITION_COUNT),
        "The number N of export partitions, which is the number of partitions of the data topic.");
  }

  /** {@link #INCLUDE_METADATA}. */
  public static Setting includeMetadata(String doc) {
    return STREAM.with(INCLUDE_METADATA, BOOLEAN, false, doc);
  }

  /** {@link #FULL_TXN_RECORD}. */
  public static Setting fullTxnRecord() {
    return STREAM.with(
        FULL_TXN_RECORD,
        BOOLEAN,
        false,
        "Whether transactions carry balances and the engine's own digest; requires "
            + INCLUDE_METADATA
            + ".");
  }

  /** {@link #CHECKPOINTS_TOPIC}. */
  public static Setting checkpointsTopic(String doc) {
    return TOPICS.with(CHECKPOINTS_TOPIC, STRING, null, Validators.topicName(), doc);
  }

  /** {@link #TOPIC_REPLICATION_FACTOR}. */
  public static Setting topicReplicationFactor(String doc) {
    return TOPICS.with(
        TOPIC_REPLICATION_FACTOR, SHORT, (short) -1, Validators.between(-1, Short.MAX_VALUE), doc);
  }

  /** The name of the checkpoints topic in the generation that is configured. */
  public static String checkpointsTopic(AbstractConfig config) {
    return eventTopic(config, CHECKPOINTS_TOPIC, ".checkpoints");
  }

  /**
   * The name of an event topic in the generation that is configured.
   *
   * @param key what its base name is configured by
   * @param suffix what is added to the pipeline's name where it is not
   */
  public static String eventTopic(AbstractConfig config, String key, String suffix) {
    String configured = config.getString(key);
    String base = configured == null ? config.getString(PIPELINE) + suffix : configured;
    return StreamIdentity.topic(base, config.getInt(GENERATION));
  }
}
