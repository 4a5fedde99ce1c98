package dev.tula.connect.lake;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** Writes to event topics what is no event. */
final class TestRecords {
  private TestRecords() {}

  static void send(String topic, int partition, String value) {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", TestBroker.bootstrapServers()),
            new StringSerializer(),
            new StringSerializer())) {
      producer
          .send(new ProducerRecord<>(topic, partition, "{\"type\":\"other\"}", value))
          .get(120, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
