package dev.tula.connect.sink.events;

import dev.tula.connect.sink.engine.LakeException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes sure that the topics are what the protocol needs: creates an event topic that is missing,
 * checks one that is there.
 */
public final class EventTopics {
  private static final Logger LOG = LoggerFactory.getLogger(EventTopics.class);

  private final Admin admin;
  private final int partitions;
  private final short replicationFactor;
  private final long timeoutMs;

  /**
   * @param admin stays the caller's
   * @param partitions N
   * @param replicationFactor of topics that are created; −1 for the broker's default
   * @param timeoutMs the longest wait for one answer
   */
  public EventTopics(Admin admin, int partitions, short replicationFactor, long timeoutMs) {
    this.admin = Objects.requireNonNull(admin, "admin");
    this.partitions = partitions;
    this.replicationFactor = replicationFactor;
    this.timeoutMs = timeoutMs;
  }

  /**
   * The data topic must have exactly N partitions (C2).
   *
   * @throws LakeException lasting if it has not
   */
  public void checkData(String topic) {
    int found =
        partitionCount(topic)
            .orElseThrow(
                () ->
                    LakeException.passing(
                        "data topic " + topic + " does not exist yet: the source creates it",
                        null));
    if (found != partitions) {
      throw wrongCount("data topic " + topic, found);
    }
  }

  /**
   * Creates an event topic, or checks that it is compacted and has N partitions.
   *
   * @throws LakeException lasting if it is neither
   */
  public void ensure(String topic) {
    Optional<Integer> found = partitionCount(topic);
    if (found.isEmpty()) {
      create(topic);
      found = Optional.of(partitionCount(topic).orElse(partitions));
    }
    if (found.get() != partitions) {
      throw wrongCount("topic " + topic, found.get());
    }
    checkSettings(topic);
  }

  private LakeException wrongCount(String what, int found) {
    return LakeException.lasting(
        what
            + " has "
            + found
            + " partitions and tula.partition.count is "
            + partitions
            + ". The number is part of the pipeline's identity: set tula.partition.count to what the topic was made with, or"
            + " open a new generation; nothing was written",
        null);
  }

  private Optional<Integer> partitionCount(String topic) {
    try {
      return Optional.of(
          KafkaFailures.await(
                  "describing topic " + topic,
                  admin.describeTopics(List.of(topic)).allTopicNames(),
                  timeoutMs)
              .get(topic)
              .partitions()
              .size());
    } catch (LakeException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private void create(String topic) {
    NewTopic wanted =
        new NewTopic(
                topic,
                Optional.of(partitions),
                replicationFactor < 0 ? Optional.empty() : Optional.of(replicationFactor))
            .configs(Map.of(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT));
    try {
      KafkaFailures.await(
          "creating topic " + topic, admin.createTopics(List.of(wanted)).all(), timeoutMs);
      LOG.info("Created topic {} with {} partitions, compacted", topic, partitions);
    } catch (LakeException e) {
      if (!(e.getCause() instanceof TopicExistsException)) {
        throw e;
      }
    }
  }

  private void checkSettings(String topic) {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    Map<ConfigResource, Config> described =
        KafkaFailures.await(
            "describing the settings of topic " + topic,
            admin.describeConfigs(List.of(resource)).all(),
            timeoutMs);
    Map<String, String> settings = new HashMap<>();
    described.get(resource).entries().forEach(entry -> settings.put(entry.name(), entry.value()));
    String policy = settings.get(TopicConfig.CLEANUP_POLICY_CONFIG);
    if (policy != null && !policy.equals(TopicConfig.CLEANUP_POLICY_COMPACT)) {
      throw LakeException.lasting(
          "topic "
              + topic
              + " has cleanup.policy="
              + policy
              + ", and its events must be kept for ever: set it to compact",
          null);
    }
    warnIfThin(topic, settings.get(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG));
  }

  /** C30. */
  private static void warnIfThin(String topic, String minInSync) {
    if (minInSync != null && Integer.parseInt(minInSync) < 2) {
      LOG.warn(
          "Topic {} has min.insync.replicas={}: the loss of one broker can lose events that acks rest on. Set it to 2 or more",
          topic,
          minInSync);
    }
  }
}
