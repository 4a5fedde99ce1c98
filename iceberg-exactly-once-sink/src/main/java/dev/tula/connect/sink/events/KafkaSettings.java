package dev.tula.connect.sink.events;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * The settings of each Kafka client: what the configuration says, less what only means something to
 * the worker's own clients, and with what the protocol rests on put on top.
 */
final class KafkaSettings {
  /** A worker's own group, and hooks that may change or hold back records. */
  private static final List<String> NOT_OURS =
      List.of(
          CommonClientConfigs.GROUP_ID_CONFIG,
          CommonClientConfigs.GROUP_INSTANCE_ID_CONFIG,
          ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG,
          ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
          ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
          ProducerConfig.TRANSACTIONAL_ID_CONFIG,
          CommonClientConfigs.METRIC_REPORTER_CLASSES_CONFIG);

  private static final int MAX_FETCH_WAIT_MS = 10;

  private KafkaSettings() {}

  static Map<String, Object> admin(Map<String, ?> configured, String clientId, Duration limit) {
    Map<String, Object> settings = base(configured, clientId);
    settings.put(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, millis(limit));
    settings.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, millis(limit));
    return settings;
  }

  static Map<String, Object> consumer(Map<String, ?> configured, String clientId, Duration limit) {
    Map<String, Object> settings = base(configured, clientId);
    settings.put(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, millis(limit));
    settings.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, millis(limit));
    // At a partition's end the next fetch is under way already, and holds up what is read after it.
    settings.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, MAX_FETCH_WAIT_MS);
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    settings.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, StringDeserializer.class);
    settings.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, StringDeserializer.class);
    return settings;
  }

  static Map<String, Object> producer(Map<String, ?> configured, String clientId, Duration limit) {
    Map<String, Object> settings = base(configured, clientId);
    settings.put(ProducerConfig.ACKS_CONFIG, "all");
    settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    settings.put(ProducerConfig.RETRIES_CONFIG, Integer.MAX_VALUE);
    settings.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 5);
    settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, limit.toMillis());
    settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, millis(limit.dividedBy(2)));
    settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, millis(limit));
    settings.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, StringSerializer.class);
    settings.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, StringSerializer.class);
    return settings;
  }

  private static Map<String, Object> base(Map<String, ?> configured, String clientId) {
    Map<String, Object> settings = new HashMap<>(configured);
    NOT_OURS.forEach(settings::remove);
    settings.put(CommonClientConfigs.CLIENT_ID_CONFIG, clientId);
    return settings;
  }

  private static int millis(Duration limit) {
    return Math.toIntExact(limit.toMillis());
  }
}
