package dev.tula.connect.source;

import dev.tula.connect.model.MalformedRecordException;
import dev.tula.connect.model.event.CheckpointEvent;
import dev.tula.connect.model.event.ClearEvent;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.queryport.Clock;
import dev.tula.connect.queryport.ExportFailure;
import dev.tula.connect.queryport.FailureCode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads the checkpoints topic from its beginning, committed records only, without a consumer group:
 * nobody's group offsets are evidence of anything. The sink creates the topic; until it has, there
 * is nothing to read.
 */
final class KafkaCheckpointTail implements CheckpointTail {
  private static final Duration CLOSE_LIMIT = Duration.ofMillis(500);
  private static final long LOOK_FOR_TOPIC_EVERY_MS = 2_000;

  private final Consumer<byte[], byte[]> consumer;
  private final String topic;
  private final List<Integer> partitions;
  private final int partitionCount;
  private final Clock clock;
  private Map<TopicPartition, Long> backlogEnds = Map.of();
  private boolean assigned;

  KafkaCheckpointTail(
      Consumer<byte[], byte[]> consumer,
      String topic,
      List<Integer> partitions,
      int partitionCount,
      Clock clock) {
    this.consumer = consumer;
    this.topic = topic;
    this.partitions = partitions;
    this.partitionCount = partitionCount;
    this.clock = clock;
  }

  /** As the task's configuration says. The consumer connects in the background. */
  static Supplier<CheckpointTail> factory(SourceConfig config, Clock clock) {
    return () ->
        new KafkaCheckpointTail(
            KafkaClients.create(() -> new KafkaConsumer<>(consumerSettings(config))),
            config.checkpointsTopic(),
            config.taskPartitions(),
            config.partitionCount(),
            clock);
  }

  /** The operator's settings, except those that the ack rests on. */
  static Map<String, Object> consumerSettings(SourceConfig config) {
    Map<String, Object> settings = config.kafkaClient();
    settings.putIfAbsent(
        ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, config.queryPort().requestTimeoutMs());
    settings.putIfAbsent(
        ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, config.queryPort().requestTimeoutMs());
    settings.put(
        CommonClientConfigs.CLIENT_ID_CONFIG,
        "tula-checkpoints-" + config.connectorName() + "-" + config.taskIndex());
    settings.remove(ConsumerConfig.GROUP_ID_CONFIG);
    settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    settings.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    settings.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    return settings;
  }

  @Override
  public Reach poll(long waitMs, Sink sink) throws InterruptedException {
    try {
      if (!assigned && !assign()) {
        clock.sleep(LOOK_FOR_TOPIC_EVERY_MS);
        return Reach.NO_TOPIC;
      }
      consumer.poll(Duration.ofMillis(waitMs)).forEach(record -> read(record, sink));
      return hasReadBacklog() ? Reach.THROUGH : Reach.BEHIND;
    } catch (AuthorizationException e) {
      throw KafkaClients.denied("Describe and Read on topic " + topic, e);
    } catch (InterruptException e) {
      throw KafkaClients.interrupted(e);
    }
  }

  private boolean assign() {
    List<PartitionInfo> found =
        Objects.requireNonNullElse(consumer.partitionsFor(topic), List.of());
    if (found.isEmpty()) {
      return false;
    }
    TopicLayout.partitionProblem(topic, found.size(), partitionCount)
        .ifPresent(
            problem -> {
              throw new ExportFailure(FailureCode.IDENTITY, problem);
            });
    List<TopicPartition> own =
        partitions.stream().map(partition -> new TopicPartition(topic, partition)).toList();
    consumer.assign(own);
    consumer.seekToBeginning(own);
    backlogEnds = consumer.endOffsets(own);
    assigned = true;
    return true;
  }

  private boolean hasReadBacklog() {
    return backlogEnds.entrySet().stream()
        .allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
  }

  private static void read(ConsumerRecord<byte[], byte[]> record, Sink sink) {
    if (record.value() == null) {
      return;
    }
    try {
      LakeEvent event = LakeEvent.parse(new String(record.value(), StandardCharsets.UTF_8));
      if (event instanceof CheckpointEvent checkpoint) {
        sink.onCheckpoint(record.partition(), checkpoint);
      } else if (event instanceof ClearEvent clear) {
        sink.onClear(record.partition(), clear);
      }
    } catch (MalformedRecordException e) {
      sink.onMalformed(record.partition(), record.offset(), e);
    }
  }

  /** With the one form that every Kafka version from 3.9 on has. */
  @Override
  @SuppressWarnings("deprecation")
  public void close() {
    consumer.close(CLOSE_LIMIT);
  }
}
