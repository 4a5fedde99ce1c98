package dev.tula.connect.source;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Looks at topics and creates them. Every call ends within the time limit. Not thread-safe.
 *
 * <p>Errors come as Kafka's own exceptions; a limit that passed as Kafka's time-out.
 */
final class TopicAdmin implements AutoCloseable {
  private final Admin admin;
  private final long timeoutMs;

  /** With an Admin client, which is closed with this. */
  TopicAdmin(Admin admin, long timeoutMs) {
    this.admin = admin;
    this.timeoutMs = timeoutMs;
  }

  /**
   * Connects as {@code tula.kafka.*} says.
   *
   * @throws dev.tula.connect.queryport.ExportFailure if the settings can't be used
   */
  static TopicAdmin connect(SourceConfig config, int timeoutMs) {
    Map<String, Object> settings = config.kafkaClient();
    settings.put(CommonClientConfigs.CLIENT_ID_CONFIG, "tula-admin-" + config.connectorName());
    settings.putIfAbsent(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, timeoutMs);
    settings.putIfAbsent(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, timeoutMs);
    return new TopicAdmin(KafkaClients.create(() -> Admin.create(settings)), timeoutMs);
  }

  /** A topic as it is, or empty if there is none. */
  Optional<TopicLayout> describe(String topic) throws InterruptedException {
    try {
      TopicDescription description = description(topic);
      ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
      Map<String, String> settings =
          await(admin.describeConfigs(List.of(resource)).values().get(resource)).entries().stream()
              .filter(entry -> entry.value() != null)
              .collect(Collectors.toMap(ConfigEntry::name, ConfigEntry::value));
      return Optional.of(new TopicLayout(description.partitions().size(), settings));
    } catch (UnknownTopicOrPartitionException e) {
      return Optional.empty();
    } catch (AuthorizationException e) {
      throw KafkaClients.denied("Describe and DescribeConfigs on topic " + topic, e);
    }
  }

  /** The number of a topic's partitions, or empty if there is no such topic. */
  Optional<Integer> partitions(String topic) throws InterruptedException {
    try {
      return Optional.of(description(topic).partitions().size());
    } catch (UnknownTopicOrPartitionException e) {
      return Optional.empty();
    } catch (AuthorizationException e) {
      throw KafkaClients.denied("Describe on topic " + topic, e);
    }
  }

  private TopicDescription description(String topic) throws InterruptedException {
    return await(admin.describeTopics(List.of(topic)).topicNameValues().get(topic));
  }

  /**
   * Creates the data topic.
   *
   * @return whether it did; if not, the topic was there by then
   */
  boolean createDataTopic(SourceConfig config) throws InterruptedException {
    Map<String, String> settings =
        new HashMap<>(TopicLayout.dataTopicSettings(config.topicRetentionMs()));
    if (config.topicMinInsyncReplicas() > 0) {
      settings.put(
          TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG,
          Integer.toString(config.topicMinInsyncReplicas()));
    }
    short replicas = config.topicReplicationFactor();
    NewTopic topic =
        new NewTopic(
                config.topic(),
                Optional.of(config.partitionCount()),
                replicas > 0 ? Optional.of(replicas) : Optional.empty())
            .configs(settings);
    try {
      await(admin.createTopics(List.of(topic)).all());
      return true;
    } catch (TopicExistsException e) {
      return false;
    } catch (AuthorizationException e) {
      throw KafkaClients.denied(
          "Create on topic " + config.topic() + ", or somebody has to create the topic for it", e);
    }
  }

  private <T> T await(KafkaFuture<T> future) throws InterruptedException {
    try {
      return future.get(timeoutMs, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new org.apache.kafka.common.errors.TimeoutException(
          "the brokers gave no answer within " + timeoutMs + " ms", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof KafkaException kafka ? kafka : new KafkaException(e.getCause());
    }
  }

  @Override
  public void close() {
    admin.close(Duration.ZERO);
  }
}
