package dev.tula.connect.sink;

import dev.tula.connect.model.metrics.MBeanRegistration;
import dev.tula.connect.sink.engine.Stop;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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

  /**
   * How long a partition may stay assigned after another writer has claimed it. Longer than
   * Connect's group takes to notice that this task had lost it, and to say so.
   */
  static final long FENCED_GRACE_MS = 60_000;

  /** How soon a successor waits for the lease that was lost, or that its winner holds. */
  static final long LEASE_RETRY_MS = 1_000;

  private final Map<TopicPartition, PartitionWriter> writers = new HashMap<>();
  private final Map<TopicPartition, Metered> metered = new HashMap<>();
  private final Set<TopicPartition> paused = new HashSet<>();

  /**
   * Partitions that stood still for a halt recorded before, and when, by {@link #clocks}, each is
   * to be looked at again.
   */
  private final Map<TopicPartition, Long> standing = new HashMap<>();

  /** Partitions whose writer was fenced, and when, by {@link #clocks}, that has an end. */
  private final Map<TopicPartition, Long> aside = new HashMap<>();

  /** What Connect had assigned and not opened when records were last passed on. */
  private Set<TopicPartition> unopened = Set.of();

  private final BiFunction<SinkConfig, String, PartitionPorts.Factory> connector;
  private final Clocks clocks;

  private SinkConfig config;
  private PartitionPorts.Factory connection;
  private SinkRuntime runtime;
  private int task;

  /** Whether those that stand were looked at again since a partition last came or went. */
  private boolean lookedLast;

  /** A partition's metrics, and where they can be seen; they outlast its writers. */
  private record Metered(SinkMetrics metrics, MBeanRegistration registration) {}

  /** A task of Connect's, over catalog and brokers. */
  public IcebergExactlyOnceSinkTask() {
    this(LakeConnection::new, Clocks.SYSTEM);
  }

  /**
   * A task over whatever this opens.
   *
   * @param connector connects, given the configuration and the data topic
   * @param clocks what its writers go by
   */
  IcebergExactlyOnceSinkTask(
      BiFunction<SinkConfig, String, PartitionPorts.Factory> connector, Clocks clocks) {
    this.connector = connector;
    this.clocks = clocks;
  }

  @Override
  public String version() {
    return Version.current();
  }

  @Override
  public void start(Map<String, String> props) {
    config = new SinkConfig(props);
    task = Integer.parseInt(props.getOrDefault(TASK_ID, "0"));
    runtime = new SinkRuntime(config, clocks.elapsed());
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

  /**
   * Starts claim and recovery in the background and returns (C1). What is open already begins anew:
   * the consumer may stand anywhere after an assignment.
   *
   * @throws ConnectException if the data topic has more partitions than the pipeline (C2)
   */
  @Override
  public void open(Collection<TopicPartition> partitions) {
    partitions.forEach(this::checkKnown);
    close(partitions.stream().filter(writers::containsKey).toList());
    lookedLast = false;
    for (TopicPartition partition : partitions) {
      context.pause(partition);
      paused.add(partition);
      SinkMetrics metrics = new SinkMetrics(clocks.dates());
      MBeanRegistration registration =
          MBeanRegistration.register(
              MBeanRegistration.nameOf(
                  "sink-task", config.connectorName(), task, partition.partition()),
              metrics);
      metered.put(partition, new Metered(metrics, registration));
      startWriter(partition, metrics);
    }
  }

  private void checkKnown(TopicPartition partition) {
    int count = config.identity().partitionCount();
    if (partition.partition() >= count) {
      throw new ConnectException(
          "Connect assigned "
              + partition
              + ", and "
              + SinkConfig.PARTITION_COUNT
              + " is "
              + count
              + ", which is part of the pipeline's identity: the data topic must have exactly as many"
              + " partitions. Nothing of this pipeline is in the others. Give it a topic that was made"
              + " with "
              + count
              + ", or open a new generation");
    }
  }

  private void startWriter(TopicPartition partition, SinkMetrics metrics) {
    PartitionWriter writer =
        new PartitionWriter(partition, config, connection, runtime, clocks, metrics);
    writers.put(partition, writer);
    writer.start();
  }

  /** Passes records on, and applies what the writers ended in (C24). Never blocks. */
  @Override
  public void put(Collection<SinkRecord> records) {
    Set<TopicPartition> forgotten = openForgotten();
    attendToEnds();
    byPartition(records)
        .forEach(
            (partition, list) -> {
              if (forgotten.contains(partition)) {
                return;
              }
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

  /**
   * Opens what Connect assigned and did not open: where its consumer is woken up in the middle of
   * an assignment, as by a pause, it is told of that assignment again, but without the partitions.
   * A consumer may know of an assignment a little before Connect tells the task, so it must have
   * been so the last time as well. Records of theirs that are here already are read again, from
   * where W leads (C10).
   */
  private Set<TopicPartition> openForgotten() {
    Set<TopicPartition> forgotten = new HashSet<>(context.assignment());
    forgotten.removeAll(writers.keySet());
    List<TopicPartition> still = forgotten.stream().filter(unopened::contains).toList();
    if (!still.isEmpty()) {
      LOG.warn("Connect assigned {} and did not open it; it is opened now", still);
      open(still);
    }
    unopened = forgotten;
    return forgotten;
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
   * Fails the task for a writer that ended, but for two kinds of end: where a recorded halt was
   * found on opening and another partition still runs, only that partition stands still, and is
   * looked at again now and then (C26); and one that was fenced stands aside.
   */
  private void attendToEnds() {
    Map<TopicPartition, Stop> halted = new HashMap<>();
    Map<TopicPartition, Stop> fenced = new HashMap<>();
    writers.forEach(
        (partition, writer) ->
            writer
                .stopped()
                .ifPresent(
                    stop ->
                        (endsAlone(stop) == Stop.Code.FENCED ? fenced : halted)
                            .put(partition, stop)));
    fenced.forEach(this::standAside);
    if (!halted.isEmpty() && halted.size() == writers.size()) {
      lookOnceMoreOrFail(halted);
    } else {
      halted.forEach(this::standStill);
    }
  }

  private static Stop.Code endsAlone(Stop stop) {
    if (stop.code() != Stop.Code.HALTED_BEFORE && stop.code() != Stop.Code.FENCED) {
      throw new ConnectException(stop.codedMessage());
    }
    return stop.code();
  }

  /**
   * A newer writer has the partition: mostly one of a task that Connect gave it to, and it will
   * take it away from this one, whose other partitions go on. If it doesn't, a second connector is
   * at work, and the task fails, as the two would claim the tables from each other for ever. Where
   * leases are kept they can't, and a successor waits for the lease.
   */
  private void standAside(TopicPartition partition, Stop stop) {
    boolean leased = config.fencing().isPresent();
    long now = clocks.elapsed().ms();
    Long due = aside.get(partition);
    if (due == null) {
      LOG.warn(
          "{} commits nothing more here, and {}: {}",
          partition,
          leased ? "waits for its lease" : "this task fails unless Connect takes it away soon",
          stop.codedMessage());
      aside.put(partition, now + (leased ? LEASE_RETRY_MS : FENCED_GRACE_MS));
    } else if (now >= due) {
      if (!leased) {
        throw new ConnectException(stop.codedMessage());
      }
      aside.remove(partition);
      startWriter(partition, metered.get(partition).metrics());
    }
  }

  /**
   * No partition runs. What was found while another one did may be of long ago, and the halt have
   * been cleared since; what was found after that is reason to fail.
   */
  private void lookOnceMoreOrFail(Map<TopicPartition, Stop> halted) {
    List<TopicPartition> stood = halted.keySet().stream().filter(standing::containsKey).toList();
    if (lookedLast || stood.isEmpty()) {
      throw new ConnectException(halted.values().iterator().next().codedMessage());
    }
    lookedLast = true;
    stood.forEach(this::lookAgain);
  }

  private void standStill(TopicPartition partition, Stop stop) {
    Long due = standing.get(partition);
    if (due == null) {
      LOG.error(
          "{} stays paused, and goes on by itself once the halt is cleared, for which it is looked at every {} ms: {}",
          partition,
          config.haltCheckIntervalMs(),
          stop.codedMessage());
      standing.put(partition, nextLook());
    } else if (clocks.elapsed().ms() >= due) {
      lookAgain(partition);
    }
  }

  private long nextLook() {
    return clocks.elapsed().ms() + config.haltCheckIntervalMs();
  }

  /**
   * Opens it anew, as a restart would: an opening that finds the halt in force writes nothing, and
   * one that doesn't claims the tables afresh (C4).
   */
  private void lookAgain(TopicPartition partition) {
    standing.put(partition, nextLook());
    SinkMetrics metrics = metered.get(partition).metrics();
    metrics.haltChecked();
    startWriter(partition, metrics);
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
    lookedLast = false;
    List<PartitionWriter> ending = new ArrayList<>();
    for (TopicPartition partition : partitions) {
      PartitionWriter writer = writers.remove(partition);
      if (writer != null) {
        writer.close();
        ending.add(writer);
      }
      Metered closing = metered.remove(partition);
      if (closing != null) {
        closing.registration().close();
      }
      paused.remove(partition);
      standing.remove(partition);
      aside.remove(partition);
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
    close(new ArrayList<>(metered.keySet()));
    if (runtime != null) {
      runtime.close();
    }
    if (connection != null) {
      connection.close();
    }
  }
}
