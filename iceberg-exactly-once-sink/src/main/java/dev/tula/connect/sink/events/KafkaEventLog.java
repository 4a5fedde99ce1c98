package dev.tula.connect.sink.events;

import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.sink.engine.EventLog;
import dev.tula.connect.sink.engine.EventsView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;

/**
 * The event topics of one partition, on Kafka. Connects when first used.
 *
 * <p>Safe for any thread; publishing takes turns, reading does not.
 */
public final class KafkaEventLog implements EventLog, AutoCloseable {
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);

  /**
   * The longest that reading may take while it gets on: enough for six million events, a week of
   * one each 100 ms, at 10,000 a second.
   */
  private static final Duration WHOLE_READ_LIMIT = Duration.ofMinutes(10);

  private final Supplier<Consumer<String, String>> consumers;
  private final EventPublisher publisher;
  private final EventTopicNames topics;
  private final EventIdentity own;
  private final Duration readLimit;
  private final Duration wholeReadLimit;

  /**
   * @param kafkaProps how to reach the brokers
   * @param topics the topics of the generation
   * @param own whose events count, and which partition they are in
   * @param publishLimit the longest that publishing may take
   * @param readLimit the longest that reading may get no further
   */
  public KafkaEventLog(
      Map<String, ?> kafkaProps,
      EventTopicNames topics,
      EventIdentity own,
      Duration publishLimit,
      Duration readLimit) {
    this(
        () -> new KafkaConsumer<>(KafkaSettings.consumer(kafkaProps, clientId(own), readLimit)),
        () -> new KafkaProducer<>(KafkaSettings.producer(kafkaProps, clientId(own), publishLimit)),
        topics,
        own,
        publishLimit,
        readLimit,
        WHOLE_READ_LIMIT);
  }

  KafkaEventLog(
      Supplier<Consumer<String, String>> consumers,
      Supplier<Producer<String, String>> producers,
      EventTopicNames topics,
      EventIdentity own,
      Duration publishLimit,
      Duration readLimit,
      Duration wholeReadLimit) {
    this.consumers = consumers;
    this.publisher = new EventPublisher(producers, topics, own.partition(), publishLimit);
    this.topics = topics;
    this.own = own;
    this.readLimit = readLimit;
    this.wholeReadLimit = wholeReadLimit;
  }

  private static String clientId(EventIdentity own) {
    return "tula-events-" + own.pipeline() + "-g" + own.generation() + "-p" + own.partition();
  }

  @Override
  public EventsView read() {
    return EventsView.of(own, events());
  }

  /**
   * The own events: of the checkpoints topic all, of the commits topic the first and the last ones.
   */
  List<LakeEvent> events() {
    try {
      Consumer<String, String> consumer = consumers.get();
      try {
        return read(consumer);
      } finally {
        close(consumer);
      }
    } catch (RuntimeException e) {
      throw KafkaErrors.translate("reading the event topics " + topics.all(), e);
    }
  }

  private List<LakeEvent> read(Consumer<String, String> consumer) {
    EventReading reading = new EventReading(consumer, own, readLimit, wholeReadLimit);
    List<LakeEvent> events = new ArrayList<>(reading.ends(partition(topics.commits())));
    events.addAll(reading.all(partition(topics.checkpoints())));
    return events;
  }

  @SuppressWarnings("deprecation") // the one form that every Kafka version from 3.9 on has
  private static void close(Consumer<String, String> consumer) {
    consumer.close(CLOSE_LIMIT);
  }

  private TopicPartition partition(String topic) {
    return new TopicPartition(topic, own.partition());
  }

  @Override
  public void publish(List<LakeEvent> events) {
    publisher.publish(events);
  }

  /** Gives unsent events two seconds. */
  @Override
  public void close() {
    publisher.close();
  }
}
