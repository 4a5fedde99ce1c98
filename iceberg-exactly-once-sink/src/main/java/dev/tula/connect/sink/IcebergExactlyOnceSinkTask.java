package dev.tula.connect.sink;

import dev.tula.connect.model.metrics.MBeanRegistration;
import dev.tula.connect.sink.engine.Stop;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BiFunction;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connect's side of the sink: hands records to one {@link PartitionWriter} for each assigned
 * partition, pauses and seeks for them, and returns the offset that goes with the watermark (I3).
 * It holds no ledger logic.
 *
 * <p>All methods run on the task's thread, and none waits for catalog, storage or broker.
 */
public final class IcebergExactlyOnceSinkTask extends SinkTask {
  private static final Logger LOG = LoggerFactory.getLogger(IcebergExactlyOnceSinkTask.class);

  /** Set by the connector for its tasks: which task it is. */
  static final String TASK_ID = "task.id";

  /** How soon {@code put} is called again when nothing arrives, so that writers are heard (C24). */
  private static final long PUT_TIMEOUT_MS = 100;

  /**
   * How long an ending writer's thread is waited for; it holds nothing that its successor would
   * miss.
   */
  private static final long WRITER_END_MS = 1_000;

  private final Map<TopicPartition, PartitionWriter> writers = new HashMap<>();
  private final Map<TopicPartition, MBeanRegistration> registrations = new HashMap<>();
  private final Set<TopicPartition> paused = new HashSet<>();
  private final Set<TopicPartition> reported = new HashSet<>();

  private final BiFunction<SinkConfig, String, PartitionPorts.Factory> connector;

  private SinkConfig config;
  private PartitionPorts.Factory connection;
  private SinkRuntime runtime;
  private int task;

  /** A task of Connect's, over catalog and brokers. */
  public IcebergExactlyOnceSinkTask() {
    this(LakeConnection::new);
  }

  /**
   * A task over whatever this opens.
   *
   * @param connector connects, given the configuration and the data topic
   */
  IcebergExactlyOnceSinkTask(BiFunction<SinkConfig, String, PartitionPorts.Factory> connector) {
    this.connector = connector;
  }

  @Override
  public String version() {
    return Version.current();
  }

  @Override
  public void start(Map<String, String> props) {
    config = new SinkConfig(props);
    task = Integer.parseInt(props.getOrDefault(TASK_ID, "0"));
    runtime = new SinkRuntime(config, Clock.systemUTC());
    warnOfSmallHeap();
    connection = connector.apply(config, context.configs().getOrDefault(SinkConfig.TOPICS, ""));
    // The first poll assigns the partitions, and they open paused: without a limit of its own it
    // would last until the next offset flush, and a writer that is ready would not be heard.
    context.timeout(PUT_TIMEOUT_MS);
  }

  private void warnOfSmallHeap() {
    long heap = Runtime.getRuntime().maxMemory();
    if (config.memoryMaxBytes() > heap / 4 * 3) {
      LOG.warn(
          "{} is {} and this worker's whole heap {}: a task that uses its memory up may end it. Lower the one or raise the"
              + " other; all tasks on a worker and the worker itself share its heap",
          SinkConfig.MEMORY_MAX_BYTES,
          config.memoryMaxBytes(),
          heap);
    }
  }

  /** Starts claim and recovery in the background and returns (C1). */
  @Override
  public void open(Collection<TopicPartition> partitions) {
    for (TopicPartition partition : partitions) {
      context.pause(partition);
      paused.add(partition);
      SinkMetrics metrics = new SinkMetrics(Clock.systemUTC());
      registrations.put(
          partition,
          MBeanRegistration.register(
              MBeanRegistration.nameOf(
                  "sink-task", config.connectorName(), task, partition.partition()),
              metrics));
      PartitionWriter writer =
          new PartitionWriter(partition, config, connection, runtime, Clock.systemUTC(), metrics);
      writers.put(partition, writer);
      writer.start();
    }
  }

  /** Passes records on, and applies what the writers ended in (C24). Never blocks. */
  @Override
  public void put(Collection<SinkRecord> records) {
    throwIfEnded();
    byPartition(records)
        .forEach(
            (partition, list) -> {
              PartitionWriter writer = writers.get(partition);
              if (writer == null) {
                throw new ConnectException(
                    "records of " + partition + " arrived, which is not open in this task");
              }
              writer.put(list);
            });
    writers.forEach(this::steer);
    context.timeout(PUT_TIMEOUT_MS);
  }

  private static Map<TopicPartition, List<SinkRecord>> byPartition(Collection<SinkRecord> records) {
    Map<TopicPartition, List<SinkRecord>> grouped = new HashMap<>();
    TopicPartition last = null;
    List<SinkRecord> list = null;
    for (SinkRecord entry : records) {
      // A transform may rename the topic; what counts is where the record was read (I3).
      if (last == null
          || last.partition() != entry.originalKafkaPartition()
          || !last.topic().equals(entry.originalTopic())) {
        last = new TopicPartition(entry.originalTopic(), entry.originalKafkaPartition());
        list = grouped.computeIfAbsent(last, unused -> new ArrayList<>());
      }
      list.add(entry);
    }
    return grouped;
  }

  private void steer(TopicPartition partition, PartitionWriter writer) {
    OptionalLong seek = writer.takeSeek();
    if (seek.isPresent()) {
      context.offset(partition, seek.getAsLong());
    }
    boolean wanted = writer.wantsPause();
    if (wanted && paused.add(partition)) {
      context.pause(partition);
    } else if (!wanted && paused.remove(partition)) {
      context.resume(partition);
    }
  }

  /**
   * Fails the task for a writer that ended, but for one: where a recorded halt was found on opening
   * and another partition still runs, only that partition stands still (C26).
   */
  private void throwIfEnded() {
    boolean anyRuns = writers.values().stream().anyMatch(writer -> writer.stopped().isEmpty());
    writers.forEach(
        (partition, writer) -> {
          Optional<Stop> stop = writer.stopped();
          if (stop.isPresent() && (stop.get().code() != Stop.Code.HALTED_BEFORE || !anyRuns)) {
            throw new ConnectException(stop.get().codedMessage());
          }
          if (stop.isPresent() && reported.add(partition)) {
            LOG.error("{} stays paused: {}", partition, stop.get().codedMessage());
          }
        });
  }

  /**
   * The offsets that go with each watermark, and no others (I3). Throws nothing: Connect would
   * rewind and carry on (C24).
   */
  @Override
  public Map<TopicPartition, OffsetAndMetadata> preCommit(
      Map<TopicPartition, OffsetAndMetadata> offsets) {
    Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();
    writers.forEach(
        (partition, writer) ->
            writer
                .committedOffset()
                .ifPresent(offset -> committed.put(partition, new OffsetAndMetadata(offset))));
    return committed;
  }

  /** Forgets the partitions: whoever opens them next recovers from the lake. */
  @Override
  public void close(Collection<TopicPartition> partitions) {
    List<PartitionWriter> ending = new ArrayList<>();
    for (TopicPartition partition : partitions) {
      PartitionWriter writer = writers.remove(partition);
      if (writer != null) {
        writer.close();
        ending.add(writer);
      }
      MBeanRegistration registration = registrations.remove(partition);
      if (registration != null) {
        registration.close();
      }
      paused.remove(partition);
      reported.remove(partition);
    }
    awaitEnds(ending);
  }

  private static void awaitEnds(List<PartitionWriter> ending) {
    long deadline = System.nanoTime() + WRITER_END_MS * 1_000_000;
    try {
      for (PartitionWriter writer : ending) {
        writer.awaitEnd(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void stop() {
    close(new ArrayList<>(writers.keySet()));
    if (runtime != null) {
      runtime.close();
    }
    if (connection != null) {
      connection.close();
    }
  }
}
