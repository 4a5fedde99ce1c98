package dev.tula.connect.sink.events;

import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.model.event.RepairEvent;
import dev.tula.connect.model.event.TableEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.StringSerializer;

/** Writes events durably. Safe for any thread. */
public final class EventPublisher implements AutoCloseable {
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(1);

  private final KafkaProducer<String, String> producer;
  private final String commitsTopic;
  private final String checkpointsTopic;
  private final long timeoutMs;

  /**
   * @param client the settings of the Kafka client
   * @param timeoutMs the longest that an event may take to be durable
   */
  public EventPublisher(
      Map<String, String> client, String commitsTopic, String checkpointsTopic, long timeoutMs) {
    Map<String, Object> settings = new HashMap<>(client);
    settings.put(ProducerConfig.ACKS_CONFIG, "all");
    settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true");
    settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Long.toString(timeoutMs));
    settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, Long.toString(timeoutMs / 2));
    settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, Long.toString(timeoutMs));
    settings.put(ProducerConfig.LINGER_MS_CONFIG, "0");
    this.producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
    this.commitsTopic = commitsTopic;
    this.checkpointsTopic = checkpointsTopic;
    this.timeoutMs = timeoutMs;
  }

  /**
   * Publishes events of one partition and returns once every one is durable. After a failure some
   * may be: the same events are then published again, and compaction keeps one.
   *
   * @throws dev.tula.connect.sink.engine.LakeException if one is not
   */
  public void publish(int partition, List<LakeEvent> events) {
    List<Future<RecordMetadata>> answers = new ArrayList<>();
    try {
      for (LakeEvent event : events) {
        answers.add(
            producer.send(
                new ProducerRecord<>(topicOf(event), partition, event.key(), event.value())));
      }
    } catch (KafkaException e) {
      throw KafkaFailures.translate("publishing an event", e);
    }
    producer.flush();
    for (Future<RecordMetadata> answer : answers) {
      KafkaFailures.await("publishing an event", answer, timeoutMs);
    }
  }

  private String topicOf(LakeEvent event) {
    return event instanceof TableEvent || event instanceof RepairEvent
        ? commitsTopic
        : checkpointsTopic;
  }

  @Override
  public void close() {
    producer.close(CLOSE_LIMIT);
  }
}
