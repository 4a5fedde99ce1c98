package dev.tula.connect.sink.events;

import dev.tula.connect.sink.engine.LakeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the event topics as they must be, or creates them: as many partitions as the data topic,
 * and compacted only, so that no event that still counts is ever deleted.
 *
 * <p>For one thread. The admin client is the caller's to close.
 */
public final class EventTopics {
  private static final Logger LOG = LoggerFactory.getLogger(EventTopics.class);
  private static final int SAFE_MIN_INSYNC_REPLICAS = 2;
  private static final long LOOK_AGAIN_MS = 100;

  /**
   * What lets the checkpoints topic be compacted soon. The newest checkpoint of a writer is all
   * that counts of it, and the topic is read whole at each start; but a segment is compacted only
   * once it is closed, by default after 1 GiB or seven days. With these an open one holds some
   * 25,000 checkpoints. The commits topic needs none of it: each of its events has a key of its
   * own, so that compaction drops nothing but what was published twice.
   */
  static final Map<String, String> COMPACTED_SOON =
      Map.of(
          TopicConfig.SEGMENT_BYTES_CONFIG, Integer.toString(16 << 20),
          TopicConfig.SEGMENT_MS_CONFIG, Long.toString(Duration.ofHours(1).toMillis()),
          TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG, "0.1");

  /** What to do where the checkpoints topic has grown long. */
  static final String COMPACTION_ADVICE =
      "Let the brokers compact the checkpoints topic sooner: set "
          + COMPACTED_SOON.entrySet().stream()
              .map(setting -> setting.getKey() + "=" + setting.getValue())
              .sorted()
              .collect(Collectors.joining(", "))
          + " on it, or as near as they let you";

  private final Admin admin;
  private final int partitionCount;
  private final Optional<Short> replicationFactor;
  private final Duration limit;

  /**
   * @param admin a client
   * @param partitionCount N
   * @param replicationFactor of a topic that is created; absent takes the broker's default
   * @param limit the longest that one request may take
   */
  public EventTopics(
      Admin admin, int partitionCount, Optional<Short> replicationFactor, Duration limit) {
    this.admin = admin;
    this.partitionCount = partitionCount;
    this.replicationFactor = replicationFactor;
    this.limit = limit;
  }

  /** As {@link #ensure(EventTopicNames)}, with a client of its own. */
  public static List<String> ensure(
      Map<String, ?> kafkaProps,
      EventTopicNames names,
      int partitionCount,
      Optional<Short> replicationFactor,
      Duration limit) {
    try (Admin admin = Admin.create(KafkaSettings.admin(kafkaProps, "tula-event-topics", limit))) {
      return new EventTopics(admin, partitionCount, replicationFactor, limit).ensure(names);
    } catch (RuntimeException e) {
      throw KafkaErrors.translate("checking the event topics", e);
    }
  }

  /**
   * Checks both topics, and creates those that are missing.
   *
   * @return what a person should look at (C30); each is logged as well
   * @throws LakeException that is lasting, if a topic is not as it must be
   */
  public List<String> ensure(EventTopicNames names) {
    List<String> warnings = new ArrayList<>();
    ensure(names.commits(), Map.of()).ifPresent(warnings::add);
    ensure(names.checkpoints(), COMPACTED_SOON).ifPresent(warnings::add);
    warnings.forEach(LOG::warn);
    return warnings;
  }

  /**
   * Checks that the data topic has exactly N partitions (C2).
   *
   * @throws LakeException that is lasting, if it has another number; that may pass, if it is not
   *     there yet
   */
  public static void checkData(
      Map<String, ?> kafkaProps, String topic, int partitionCount, Duration limit) {
    try (Admin admin = Admin.create(KafkaSettings.admin(kafkaProps, "tula-data-topic", limit))) {
      EventTopics topics = new EventTopics(admin, partitionCount, Optional.empty(), limit);
      TopicDescription found =
          topics
              .describe(topic)
              .orElseThrow(
                  () ->
                      LakeException.passing(
                          "data topic " + topic + " is not there yet: the source creates it",
                          null));
      topics.checkPartitions(topic, found);
    } catch (RuntimeException e) {
      throw KafkaErrors.translate("checking the data topic", e);
    }
  }

  private Optional<String> ensure(String topic, Map<String, String> settings) {
    Optional<TopicDescription> found = describe(topic);
    if (found.isEmpty()) {
      create(topic, settings);
      found = Optional.of(awaitCreated(topic));
    }
    checkPartitions(topic, found.get());
    Config config = config(topic);
    checkPolicy(topic, config);
    return minInsyncWarning(topic, config);
  }

  private Optional<TopicDescription> describe(String topic) {
    String what = "describing topic " + topic;
    try {
      return Optional.of(
          await(what, admin.describeTopics(List.of(topic)).topicNameValues().get(topic)));
    } catch (UnknownTopicOrPartitionException e) {
      return Optional.empty();
    }
  }

  /** Managed brokers may not let a topic have settings that it can do without. */
  private void create(String topic, Map<String, String> settings) {
    try {
      createWith(topic, settings);
    } catch (LakeException e) {
      if (settings.isEmpty() || !isRefusedSetting(e.getCause())) {
        throw e;
      }
      LOG.warn(
          "The brokers do not let topic {} have {}; it is created without, and starts take longer the later it is compacted: {}",
          topic,
          settings,
          e.getMessage());
      createWith(topic, Map.of());
    }
  }

  private static boolean isRefusedSetting(Throwable failure) {
    return failure instanceof InvalidConfigurationException
        || failure instanceof PolicyViolationException
        || failure instanceof InvalidRequestException;
  }

  private void createWith(String topic, Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(settings);
    all.put(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT);
    NewTopic wanted =
        new NewTopic(topic, Optional.of(partitionCount), replicationFactor).configs(all);
    try {
      await("creating topic " + topic, admin.createTopics(List.of(wanted)).values().get(topic));
      LOG.info("Created topic {} with {} partitions and {}", topic, partitionCount, all);
    } catch (TopicExistsException e) {
      LOG.info("Topic {} was created by another at the same time", topic);
    }
  }

  /** A topic that one broker has created, another may not know for a moment. */
  private TopicDescription awaitCreated(String topic) {
    long deadline = System.nanoTime() + limit.toNanos();
    while (System.nanoTime() < deadline) {
      Optional<TopicDescription> found = describe(topic);
      if (found.isPresent()) {
        return found.get();
      }
      pause(topic);
    }
    throw LakeException.passing("topic " + topic + " was created and is not there yet", null);
  }

  private static void pause(String topic) {
    try {
      Thread.sleep(LOOK_AGAIN_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw LakeException.passing("waiting for topic " + topic + " was interrupted", e);
    }
  }

  private void checkPartitions(String topic, TopicDescription description) {
    int actual = description.partitions().size();
    if (actual != partitionCount) {
      throw LakeException.lasting(
          "topic "
              + topic
              + " has "
              + actual
              + " partitions and must have exactly tula.partition.count="
              + partitionCount
              + ", which is part of the pipeline's identity: set it to what the topics were made "
              + "with, or open a new generation",
          null);
    }
  }

  private Config config(String topic) {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    return await(
        "reading the configuration of topic " + topic,
        admin.describeConfigs(List.of(resource)).values().get(resource));
  }

  private static void checkPolicy(String topic, Config config) {
    String policy = value(config, TopicConfig.CLEANUP_POLICY_CONFIG);
    if (!TopicConfig.CLEANUP_POLICY_COMPACT.equals(policy)) {
      throw LakeException.lasting(
          "topic "
              + topic
              + " has cleanup.policy="
              + policy
              + " and would lose events; set it to compact",
          null);
    }
  }

  private static Optional<String> minInsyncWarning(String topic, Config config) {
    String value = value(config, TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG);
    if (value == null || Integer.parseInt(value) >= SAFE_MIN_INSYNC_REPLICAS) {
      return Optional.empty();
    }
    return Optional.of(
        "topic "
            + topic
            + " has min.insync.replicas="
            + value
            + ": an event counts as durable on one broker alone, whose loss would lose it; use "
            + SAFE_MIN_INSYNC_REPLICAS
            + " or more");
  }

  private static String value(Config config, String name) {
    ConfigEntry entry = config.get(name);
    return entry == null ? null : entry.value();
  }

  private <T> T await(String what, KafkaFuture<T> future) {
    try {
      return future.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException unknown) {
        throw unknown;
      }
      if (e.getCause() instanceof TopicExistsException exists) {
        throw exists;
      }
      throw KafkaErrors.translate(what, e.getCause());
    } catch (TimeoutException e) {
      throw LakeException.passing(what + " took longer than " + limit.toMillis() + " ms", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw LakeException.passing(what + " was interrupted", e);
    }
  }
}
