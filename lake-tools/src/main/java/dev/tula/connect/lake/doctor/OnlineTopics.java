package dev.tula.connect.lake.doctor;

import dev.tula.connect.sink.SinkConfig;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Looks at the topics as they are on the brokers, and creates none. What must be so is what source
 * and sink themselves insist on at their start. For one thread.
 */
final class OnlineTopics {
  private static final int SAFE_MIN_INSYNC = 2;
  private static final int MIN_MESSAGE_BYTES = 256 << 10;

  private final Admin admin;
  private final Duration limit;
  private final Findings findings;
  private boolean silent;

  /**
   * @param admin a client, the caller's to close
   * @param limit the longest that one request may take
   * @param findings takes what is found
   */
  OnlineTopics(Admin admin, Duration limit, Findings findings) {
    this.admin = admin;
    this.limit = limit;
    this.findings = findings;
  }

  /**
   * A topic as it is.
   *
   * @param partitions how many it has
   * @param settings its configuration, defaults included
   */
  private record Topic(int partitions, Map<String, String> settings) {
    String setting(String name) {
      return settings.getOrDefault(name, "");
    }
  }

  /**
   * Looks at them.
   *
   * @param config the sink's
   * @param data whether at the data topic too, as nobody else does
   */
  void examine(SinkConfig config, boolean data) {
    int count = config.identity().partitionCount();
    eventTopic(SinkConfig.COMMITS_TOPIC, config.commitsTopic(), count);
    eventTopic(SinkConfig.CHECKPOINTS_TOPIC, config.checkpointsTopic(), count);
    if (data) {
      String topic = String.valueOf(config.originals().get("topics")).trim();
      look("topics", topic, "the source", count).ifPresent(found -> dataTopic(topic, found));
    }
  }

  private void eventTopic(String key, String topic, int count) {
    look(key, topic, "the sink", count)
        .ifPresent(
            found -> {
              String policy = found.setting(TopicConfig.CLEANUP_POLICY_CONFIG);
              if (!policy.equals(TopicConfig.CLEANUP_POLICY_COMPACT)) {
                findings.fail(
                    key,
                    topic + " has cleanup.policy=" + policy,
                    "Set the topic's cleanup.policy=compact: it would lose events.");
              }
              minInsync(key, topic, found);
            });
  }

  /** C30. */
  private void minInsync(String key, String topic, Topic found) {
    number(found, TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG)
        .filter(replicas -> replicas < SAFE_MIN_INSYNC)
        .ifPresent(
            replicas ->
                findings.warn(
                    key,
                    topic + " has min.insync.replicas=" + replicas,
                    "Set the topic's min.insync.replicas=2, with three replicas: an event counts as"
                        + " durable on one broker alone."));
  }

  private void dataTopic(String topic, Topic found) {
    String policy = found.setting(TopicConfig.CLEANUP_POLICY_CONFIG);
    if (policy.contains(TopicConfig.CLEANUP_POLICY_COMPACT)) {
      findings.fail(
          "topics",
          topic + " has cleanup.policy=" + policy,
          "Set the topic's cleanup.policy=delete: a ledger's records have no key to be compacted"
              + " by.");
    }
    number(found, TopicConfig.MAX_MESSAGE_BYTES_CONFIG)
        .filter(bytes -> bytes < MIN_MESSAGE_BYTES)
        .ifPresent(
            bytes ->
                findings.fail(
                    "topics",
                    topic + " has max.message.bytes=" + bytes,
                    "Set the topic's max.message.bytes to "
                        + MIN_MESSAGE_BYTES
                        + " or more: a ledger's record may need that."));
    Optional<Long> retention = number(found, TopicConfig.RETENTION_MS_CONFIG);
    String timestamps = found.setting(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG);
    if (retention.filter(millis -> millis >= 0).isPresent()
        && !timestamps.equals("LogAppendTime")) {
      findings.fail(
          "topics",
          topic + " has message.timestamp.type=" + timestamps,
          "Set the topic's message.timestamp.type=LogAppendTime, or retention.ms=-1: older history"
              + " would be deleted as it arrives.");
    }
  }

  private static Optional<Long> number(Topic found, String setting) {
    String value = found.setting(setting);
    return value.isEmpty() ? Optional.empty() : Optional.of(Long.valueOf(value));
  }

  /** The topic, if there is one; whether its partitions are N is said here. */
  private Optional<Topic> look(String key, String topic, String creator, int count) {
    if (silent) {
      return Optional.empty();
    }
    Topic found;
    try {
      found = describe(topic);
    } catch (UnknownTopicOrPartitionException e) {
      findings.ok(key, topic + " is not there yet: " + creator + " creates it");
      return Optional.empty();
    } catch (KafkaException e) {
      // Brokers that gave no answer once are not waited for again.
      silent = e instanceof org.apache.kafka.common.errors.TimeoutException;
      findings.fail(
          key,
          "can't ask the brokers about " + topic,
          "Check iceberg.kafka.* and the rights of that user: " + e.getMessage());
      return Optional.empty();
    }
    if (found.partitions != count) {
      findings.fail(
          key,
          topic + " has " + found.partitions + " partitions",
          "It must have exactly "
              + SinkConfig.PARTITION_COUNT
              + "="
              + count
              + ", which is fixed for a generation: set the key to what it was, or open the next"
              + " generation.");
    } else {
      findings.ok(key, topic + " has " + count + " partitions");
    }
    return Optional.of(found);
  }

  private Topic describe(String topic) {
    TopicDescription description =
        await(admin.describeTopics(List.of(topic)).topicNameValues().get(topic));
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    Map<String, String> settings =
        await(admin.describeConfigs(List.of(resource)).values().get(resource)).entries().stream()
            .filter(entry -> entry.value() != null)
            .collect(Collectors.toMap(ConfigEntry::name, ConfigEntry::value));
    return new Topic(description.partitions().size(), settings);
  }

  private <T> T await(KafkaFuture<T> future) {
    try {
      return future.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof KafkaException kafka ? kafka : new KafkaException(e.getCause());
    } catch (TimeoutException e) {
      throw new org.apache.kafka.common.errors.TimeoutException(
          "no answer within " + limit.toMillis() + " ms", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KafkaException("interrupted", e);
    }
  }
}
