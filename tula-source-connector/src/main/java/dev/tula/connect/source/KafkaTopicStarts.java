package dev.tula.connect.source;

import dev.tula.connect.model.Position;
import dev.tula.connect.queryport.Clock;
import dev.tula.connect.queryport.ExportFailure;
import dev.tula.connect.queryport.FailureCode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Header;

/** Reads the data topic, committed records only, without a consumer group. */
final class KafkaTopicStarts implements TopicStarts {
  private static final Duration CLOSE_LIMIT = Duration.ofMillis(500);
  private static final Duration POLL = Duration.ofMillis(250);

  private final Consumer<byte[], byte[]> consumer;
  private final String topic;
  private final long limitMs;
  private final Clock clock;

  KafkaTopicStarts(Consumer<byte[], byte[]> consumer, String topic, long limitMs, Clock clock) {
    this.consumer = consumer;
    this.topic = topic;
    this.limitMs = limitMs;
    this.clock = clock;
  }

  /** As the task's configuration says. */
  static Supplier<TopicStarts> factory(SourceConfig config, Clock clock) {
    return () -> {
      Map<String, Object> settings = KafkaCheckpointTail.consumerSettings(config);
      settings.put(
          CommonClientConfigs.CLIENT_ID_CONFIG,
          "tula-starts-" + config.connectorName() + "-" + config.taskIndex());
      return new KafkaTopicStarts(
          new KafkaConsumer<>(settings),
          config.topic(),
          config.queryPort().requestTimeoutMs(),
          clock);
    };
  }

  @Override
  public Optional<Position> start(int partition) throws InterruptedException {
    try {
      return first(new TopicPartition(topic, partition)).map(this::position);
    } catch (InterruptException e) {
      InterruptedException interrupted = new InterruptedException("the task ends");
      interrupted.initCause(e);
      throw interrupted;
    }
  }

  private Optional<ConsumerRecord<byte[], byte[]>> first(TopicPartition partition) {
    consumer.assign(List.of(partition));
    consumer.seekToBeginning(List.of(partition));
    long end = consumer.endOffsets(List.of(partition)).get(partition);
    long startedMs = clock.elapsedMs();
    while (consumer.position(partition) < end) {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
        return Optional.of(record);
      }
      if (clock.elapsedMs() - startedMs >= limitMs) {
        throw new TimeoutException(
            "the first record of " + partition + " did not come within " + limitMs + " ms");
      }
    }
    return Optional.empty();
  }

  private Position position(ConsumerRecord<byte[], byte[]> record) {
    for (Header header : record.headers()) {
      Optional<Position> start = StartHeader.parse(header.key());
      if (start.isPresent()) {
        return start.get();
      }
    }
    throw new ExportFailure(
        FailureCode.CONFIGURATION,
        "there is no source offset, and topic "
            + topic
            + ", partition "
            + record.partition()
            + ", already holds records from offset "
            + record.offset()
            + " on without the START record that says where the stream begins (retention removed"
            + " it, a transform dropped its headers, or the records are not this pipeline's), so a"
            + " bootstrap could seed another state than it did before. Set the source offsets to"
            + " the lake's watermark (tula-lake watermark; PATCH /connectors/<name>/offsets), or"
            + " begin the next generation");
  }

  /** With the one form that every Kafka version from 3.9 on has. */
  @Override
  @SuppressWarnings("deprecation")
  public void close() {
    consumer.close(CLOSE_LIMIT);
  }
}
