package dev.tula.connect.local.bench;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tula.connect.local.ConnectWorkerProcess;
import dev.tula.connect.local.ConnectorConfig;
import dev.tula.connect.local.ConnectorStatus;
import dev.tula.connect.local.LocalBroker;
import dev.tula.connect.local.StackException;
import dev.tula.connect.local.WorkerMetrics;
import dev.tula.connect.model.Position;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Starts a source connector with one task, and looks at the end of its topic, as a reader of what
 * is committed sees it, until Connect's own offset says that the ledger's head is in Kafka. The
 * record that made it so came when the end moved last. For one thread.
 */
final class SourceMeasure {
  private static final Duration LOOK = Duration.ofMillis(25);
  private static final Duration OFFSET_LOOK = Duration.ofSeconds(1);
  private static final Duration STALL_LIMIT = Duration.ofSeconds(120);

  private final Position head;
  private final long rows;
  private final LocalBroker broker;
  private final ConnectWorkerProcess worker;
  private final ConnectorConfig config;
  private final TopicPartition partition;
  private long firstNanos;
  private long lastNanos;
  private long firstEnd;
  private long end;

  SourceMeasure(
      Position head,
      long rows,
      LocalBroker broker,
      ConnectWorkerProcess worker,
      ConnectorConfig config) {
    this.head = head;
    this.rows = rows;
    this.broker = broker;
    this.worker = worker;
    this.config = config;
    this.partition = new TopicPartition(config.value("tula.topic"), 0);
  }

  SourceRun run() {
    Duration cpuBefore = cpu();
    long began = System.nanoTime();
    worker.rest().putConfig(config.name(), config.values());
    try (KafkaConsumer<byte[], byte[]> reader = reader()) {
      long nextOffsetLook = System.nanoTime();
      lastNanos = nextOffsetLook;
      while (true) {
        look(reader);
        long now = System.nanoTime();
        if (now >= nextOffsetLook) {
          if (atHead()) {
            break;
          }
          checkTask();
          nextOffsetLook = System.nanoTime() + OFFSET_LOOK.toNanos();
        }
        if (now - lastNanos > STALL_LIMIT.toNanos()) {
          throw new StackException(
              "nothing came to " + partition + " for " + STALL_LIMIT.toSeconds() + " s");
        }
        pause();
      }
      look(reader);
    }
    return measured(began, cpu().minus(cpuBefore));
  }

  private KafkaConsumer<byte[], byte[]> reader() {
    return new KafkaConsumer<>(
        Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
            broker.bootstrapServers(),
            ConsumerConfig.ISOLATION_LEVEL_CONFIG,
            "read_committed",
            ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
            ByteArrayDeserializer.class,
            ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
            ByteArrayDeserializer.class));
  }

  private void look(KafkaConsumer<byte[], byte[]> reader) {
    if (end == 0 && !reader.listTopics().containsKey(partition.topic())) {
      return;
    }
    long now = reader.endOffsets(List.of(partition)).get(partition);
    if (now > end) {
      lastNanos = System.nanoTime();
      if (end == 0) {
        firstNanos = lastNanos;
        firstEnd = now;
      }
      end = now;
    }
  }

  /** Connect stores an offset once the record that goes with it, and all before it, are safe. */
  private boolean atHead() {
    JsonNode offset = worker.rest().offsets(config.name()).path("offsets").path(0).path("offset");
    return offset.path("global_batch_seq").asLong() >= head.globalBatchSeq();
  }

  private void checkTask() {
    Optional<String> failure =
        worker.rest().status(config.name()).flatMap(ConnectorStatus::failure);
    if (failure.isPresent()) {
      throw new StackException("the source failed: " + failure.get());
    }
  }

  private Duration cpu() {
    return ProcessHandle.of(worker.process().pid())
        .flatMap(process -> process.info().totalCpuDuration())
        .orElse(Duration.ZERO);
  }

  private SourceRun measured(long began, Duration cpu) {
    Map<String, Object> polls;
    WorkerMetrics.TaskMetrics task;
    try (WorkerMetrics metrics = WorkerMetrics.attach(worker.process().pid())) {
      task = metrics.read().get(0);
      polls = metrics.valuesOf("source-polls").get(0);
    } catch (IOException e) {
      throw new StackException("the worker's MBeans can't be read", e);
    }
    if (task.count("RowsTotal") != rows) {
      throw new StackException(
          "the ledger has " + rows + " records, and the task read " + task.count("RowsTotal"));
    }
    return new SourceRun(
        rows,
        task.count("BytesTotal"),
        Duration.ofNanos(lastNanos - began),
        Duration.ofNanos(lastNanos - firstNanos),
        (double) (end - firstEnd) / end,
        Duration.ofNanos(Math.round(((Number) polls.get("PollSecondsTotal")).doubleValue() * 1e9)),
        cpu);
  }

  private static void pause() {
    try {
      Thread.sleep(LOOK.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StackException("interrupted", e);
    }
  }
}
