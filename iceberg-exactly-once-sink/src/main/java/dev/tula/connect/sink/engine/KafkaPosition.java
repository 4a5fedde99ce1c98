package dev.tula.connect.sink.engine;

import java.util.Objects;

/**
 * A place in the data topic. It says where to read from; it never decides what is in the lake.
 *
 * @param topic the topic as the worker consumes it, whatever a transform calls it
 * @param partition the Kafka partition, equal to the export partition
 * @param offset the offset of the first item not wholly at or below the watermark
 */
public record KafkaPosition(String topic, int partition, long offset) {
  /** Checks that the topic is there. */
  public KafkaPosition {
    Objects.requireNonNull(topic, "topic");
  }
}
