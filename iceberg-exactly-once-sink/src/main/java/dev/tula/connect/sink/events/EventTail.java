package dev.tula.connect.sink.events;

import dev.tula.connect.model.MalformedRecordException;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.sink.engine.LakeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Reads a partition of both event topics from its beginning to its end. Each call has a consumer of
 * its own.
 */
public final class EventTail {
  private static final Duration POLL = Duration.ofMillis(200);

  private final Map<String, String> client;
  private final List<String> topics;
  private final long timeoutMs;

  /**
   * @param client the settings of the Kafka client
   * @param topics the commits and the checkpoints topic
   * @param timeoutMs the longest wait without anything new
   */
  public EventTail(Map<String, String> client, List<String> topics, long timeoutMs) {
    this.client = Map.copyOf(client);
    this.topics = List.copyOf(topics);
    this.timeoutMs = timeoutMs;
  }

  /**
   * Every event that both topics hold in a partition as of now, each topic's in its order.
   *
   * @throws LakeException if the brokers can't be read, or the topic holds something that is no
   *     event
   */
  public List<LakeEvent> read(int partition) {
    List<TopicPartition> assigned =
        topics.stream().map(topic -> new TopicPartition(topic, partition)).toList();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(settings(), new StringDeserializer(), new StringDeserializer())) {
      consumer.assign(assigned);
      consumer.seekToBeginning(assigned);
      Map<TopicPartition, Long> ends = consumer.endOffsets(assigned, Duration.ofMillis(timeoutMs));
      return readTo(consumer, ends);
    } catch (KafkaException e) {
      throw KafkaFailures.translate("reading the event topics " + topics, e);
    }
  }

  private Map<String, Object> settings() {
    Map<String, Object> settings = new HashMap<>(client);
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    settings.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, Long.toString(timeoutMs));
    settings.remove(ConsumerConfig.GROUP_ID_CONFIG);
    return settings;
  }

  private List<LakeEvent> readTo(
      KafkaConsumer<String, String> consumer, Map<TopicPartition, Long> ends) {
    List<LakeEvent> events = new ArrayList<>();
    long lastNews = System.nanoTime();
    while (ends.entrySet().stream()
        .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
      boolean news = false;
      for (ConsumerRecord<String, String> entry : consumer.poll(POLL)) {
        news = true;
        if (entry.value() != null) {
          events.add(parse(entry));
        }
      }
      long now = System.nanoTime();
      if (news) {
        lastNews = now;
      } else if (now - lastNews > timeoutMs * 1_000_000) {
        throw LakeException.passing(
            "the event topics " + topics + " could not be read to their ends", null);
      }
    }
    return events;
  }

  private static LakeEvent parse(ConsumerRecord<String, String> entry) {
    try {
      return LakeEvent.parse(entry.value());
    } catch (MalformedRecordException e) {
      throw LakeException.lasting(
          "topic "
              + entry.topic()
              + ", partition "
              + entry.partition()
              + ", offset "
              + entry.offset()
              + " holds no event of ours: "
              + e.getMessage()
              + ". Nobody else may write to it",
          e);
    }
  }
}
