package dev.tula.connect.local;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tula.connect.model.Position;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Follows the checkpoints topic from its beginning, as the source does: the sink's word on how far
 * the lake is complete. The topic may come into being later.
 *
 * <p>For one thread.
 */
public final class CheckpointsTopic implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration POLL_LIMIT = Duration.ofMillis(20);
  private static final int MAX_CHECKPOINTS = 1_000_000;

  private final String topic;
  private final KafkaConsumer<String, String> consumer;
  private final List<Checkpoint> checkpoints = new ArrayList<>();
  private final List<String> halts = new ArrayList<>();
  private boolean assigned;

  /**
   * @param bootstrapServers the broker
   * @param topic the topic's name
   */
  public CheckpointsTopic(String bootstrapServers, String topic) {
    this.topic = topic;
    this.consumer =
        new KafkaConsumer<>(
            Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrapServers,
                ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
                false,
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false,
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "earliest"),
            new StringDeserializer(),
            new StringDeserializer());
  }

  /** Takes in what has arrived since the last call. */
  public void poll() {
    if (!assigned && !assign()) {
      return;
    }
    for (ConsumerRecord<String, String> record : consumer.poll(POLL_LIMIT)) {
      take(record);
    }
  }

  private boolean assign() {
    List<PartitionInfo> partitions = consumer.listTopics().get(topic);
    if (partitions == null) {
      return false;
    }
    consumer.assign(
        partitions.stream().map(info -> new TopicPartition(topic, info.partition())).toList());
    assigned = true;
    return true;
  }

  private void take(ConsumerRecord<String, String> record) {
    JsonNode event = parse(record);
    switch (event.path("type").asText()) {
      case "checkpoint" -> {
        if (checkpoints.size() == MAX_CHECKPOINTS) {
          throw new StackException(topic + " has more than " + MAX_CHECKPOINTS + " checkpoints");
        }
        checkpoints.add(
            new Checkpoint(
                event.path("partition").asInt(),
                Position.parse(event.path("to").asText()),
                record.offset(),
                Instant.ofEpochMilli(record.timestamp())));
      }
      case "halt" -> halts.add(event.path("message").asText());
      default -> {
        // Clears and what a later version adds say nothing about how far the lake is.
      }
    }
  }

  private JsonNode parse(ConsumerRecord<String, String> record) {
    try {
      return JSON.readTree(record.value());
    } catch (JsonProcessingException e) {
      throw new StackException(
          "record " + record.offset() + " of " + topic + " is not JSON: " + record.value(), e);
    }
  }

  /** Every checkpoint seen, in the order of the topic. */
  public List<Checkpoint> checkpoints() {
    return List.copyOf(checkpoints);
  }

  /** The highest watermark published for an export partition. */
  public Optional<Position> watermark(int partition) {
    return checkpoints.stream()
        .filter(checkpoint -> checkpoint.partition() == partition)
        .map(Checkpoint::to)
        .max(Position::compareTo);
  }

  /** The messages of the halts seen, cleared or not. */
  public List<String> halts() {
    return List.copyOf(halts);
  }

  @Override
  public void close() {
    consumer.close();
  }
}
