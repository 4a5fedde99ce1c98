package dev.tula.connect.lake.state;

import dev.tula.connect.lake.output.ToolException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * One topic, of events or of data, read one partition at a time; committed records only. It joins
 * no group and commits no offset.
 *
 * <p>For one thread.
 */
public final class EventTopic implements AutoCloseable {
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);
  private static final Duration POLL = Duration.ofMillis(200);

  /** Reading ends where the topic did: a broker that waits for more only holds up the close. */
  private static final int FETCH_WAIT_MS = 20;

  private final String topic;
  private final KafkaConsumer<String, String> consumer;

  private EventTopic(String topic, KafkaConsumer<String, String> consumer) {
    this.topic = topic;
    this.consumer = consumer;
  }

  /**
   * Opens a topic.
   *
   * @param kafka what clients need to reach the brokers
   * @throws ToolException if the properties make no client
   */
  static EventTopic open(Map<String, String> kafka, String topic) {
    try {
      return new EventTopic(
          topic,
          new KafkaConsumer<>(settings(kafka), new StringDeserializer(), new StringDeserializer()));
    } catch (KafkaException e) {
      throw ToolException.error("the settings for Kafka clients are wrong: " + rootMessage(e), e);
    }
  }

  private static Map<String, Object> settings(Map<String, String> kafka) {
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.remove(ConsumerConfig.GROUP_ID_CONFIG);
    settings.remove(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG);
    settings.remove(ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG);
    settings.put(CommonClientConfigs.CLIENT_ID_CONFIG, "tula-lake");
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    settings.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, FETCH_WAIT_MS);
    settings.put(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) ANSWER_LIMIT.toMillis());
    return settings;
  }

  /** Its name. */
  public String name() {
    return topic;
  }

  /**
   * Whether the topic has that partition.
   *
   * @throws ToolException if the brokers can't be asked
   */
  public boolean has(int partition) {
    return asking(
        () ->
            consumer.partitionsFor(topic, ANSWER_LIMIT).stream()
                .anyMatch(info -> info.partition() == partition));
  }

  /**
   * Shows every record of a partition, in order, up to where it ends as of this call.
   *
   * @return where it ended
   * @throws ToolException if the brokers can't be read
   */
  public long read(int partition, Consumer<ConsumerRecord<String, String>> action) {
    return asking(
        () -> {
          TopicPartition one = new TopicPartition(topic, partition);
          consumer.assign(List.of(one));
          long end = consumer.endOffsets(List.of(one)).get(one);
          readTo(one, end, action);
          return end;
        });
  }

  /**
   * Shows every record of a partition below an offset.
   *
   * @throws ToolException if the brokers can't be read
   */
  public void readTo(int partition, long end, Consumer<ConsumerRecord<String, String>> action) {
    asking(
        () -> {
          TopicPartition one = new TopicPartition(topic, partition);
          consumer.assign(List.of(one));
          readTo(one, end, action);
          return end;
        });
  }

  /**
   * How many committed records a partition holds from an offset on, up to where it ends as of this
   * call.
   *
   * @throws ToolException if the brokers can't be read
   */
  public long countFrom(int partition, long offset) {
    return asking(
        () -> {
          TopicPartition one = new TopicPartition(topic, partition);
          consumer.assign(List.of(one));
          long end = consumer.endOffsets(List.of(one)).get(one);
          long first = Math.max(offset, consumer.beginningOffsets(List.of(one)).get(one));
          LongAdder count = new LongAdder();
          if (first < end) {
            consumer.seek(one, first);
            readOn(one, end, entry -> count.increment());
          }
          return count.sum();
        });
  }

  private void readTo(
      TopicPartition partition, long end, Consumer<ConsumerRecord<String, String>> action) {
    consumer.seekToBeginning(List.of(partition));
    readOn(partition, end, action);
  }

  private void readOn(
      TopicPartition partition, long end, Consumer<ConsumerRecord<String, String>> action) {
    long lastNewsNanos = System.nanoTime();
    while (consumer.position(partition) < end) {
      long before = consumer.position(partition);
      for (ConsumerRecord<String, String> entry : consumer.poll(POLL)) {
        // Compaction leaves offsets out, and what came after the call began is not for it.
        if (entry.offset() < end) {
          action.accept(entry);
        }
      }
      long now = System.nanoTime();
      if (consumer.position(partition) > before) {
        lastNewsNanos = now;
      } else if (now - lastNewsNanos > ANSWER_LIMIT.toNanos()) {
        throw ToolException.error(
            partition
                + " can't be read on from offset "
                + before
                + ": nothing came for "
                + ANSWER_LIMIT.toSeconds()
                + " s. Look at the brokers");
      }
    }
  }

  private interface Question<T> {
    T ask();
  }

  private <T> T asking(Question<T> question) {
    try {
      return question.ask();
    } catch (KafkaException e) {
      throw ToolException.error(
          "can't read topic "
              + topic
              + ": "
              + rootMessage(e)
              + ". Check the brokers' address and the rights to describe and read the topic",
          e);
    }
  }

  private static String rootMessage(KafkaException failure) {
    Throwable root = failure;
    for (int depth = 0; root.getCause() != null && depth < 16; depth++) {
      root = root.getCause();
    }
    return root.getMessage() == null ? root.toString() : root.getMessage();
  }

  @Override
  public void close() {
    consumer.close();
  }
}
