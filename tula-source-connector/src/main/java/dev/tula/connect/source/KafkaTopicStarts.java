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
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Header;

/** Reads the data topic, committed records only, without a consumer group. */
final class KafkaTopicStarts implements TopicStarts {
  private static final Duration CLOSE_LIMIT = Duration.ofMillis(500);

  /** Less than any batch, and so one batch, of which the first record is all that matters. */
  private static final int ONE_BATCH_BYTES = 1;

  private static final Duration POLL = Duration.ofMillis(250);

  private final Consumer<byte[], byte[]> consumer;
  private final String topic;
  private final String owner;
  private final long limitMs;
  private final Clock clock;

  /**
   * With a consumer of its own.
   *
   * @param owner whose streams the topic is for, as {@link StartHeader#owner} writes it
   */
  KafkaTopicStarts(
      Consumer<byte[], byte[]> consumer, String topic, String owner, long limitMs, Clock clock) {
    this.consumer = consumer;
    this.topic = topic;
    this.owner = owner;
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
      settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 1);
      settings.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, ONE_BATCH_BYTES);
      return new KafkaTopicStarts(
          KafkaClients.create(() -> new KafkaConsumer<>(settings)),
          config.topic(),
          StartHeader.owner(config.pipeline(), config.generation()),
          config.queryPort().requestTimeoutMs(),
          clock);
    };
  }

  @Override
  public Optional<First> first(int partition) throws InterruptedException {
    try {
      return firstRecord(new TopicPartition(topic, partition))
          .map(record -> new First(record.offset(), start(record)));
    } catch (AuthorizationException e) {
      throw KafkaClients.denied("Describe and Read on topic " + topic, e);
    } catch (InterruptException e) {
      throw KafkaClients.interrupted(e);
    }
  }

  private Optional<ConsumerRecord<byte[], byte[]>> firstRecord(TopicPartition partition) {
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

  private Optional<Position> start(ConsumerRecord<byte[], byte[]> record) {
    for (Header header : record.headers()) {
      StartHeader.parseOwner(header.key()).ifPresent(found -> requireOwn(record, found));
    }
    for (Header header : record.headers()) {
      Optional<Position> start = StartHeader.parse(header.key());
      if (start.isPresent()) {
        return start;
      }
    }
    return Optional.empty();
  }

  private void requireOwn(ConsumerRecord<byte[], byte[]> record, String found) {
    if (!found.equals(owner)) {
      throw new ExportFailure(
          FailureCode.IDENTITY,
          "topic "
              + topic
              + ", partition "
              + record.partition()
              + ", begins with the stream of "
              + found
              + ", and this connector is "
              + owner
              + " (pipeline:generation); set "
              + SourceConfig.PIPELINE
              + " and "
              + SourceConfig.GENERATION
              + " back, or name a topic that is this pipeline's alone ("
              + SourceConfig.TOPIC
              + "). Nothing was written");
    }
  }

  /** With the one form that every Kafka version from 3.9 on has. */
  @Override
  @SuppressWarnings("deprecation")
  public void close() {
    consumer.close(CLOSE_LIMIT);
  }
}
