package dev.tula.connect.source;

import dev.tula.connect.model.metrics.MBeanRegistration;
import dev.tula.connect.queryport.Clock;
import dev.tula.connect.queryport.LeaderClient;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.TransactionContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task that runs: a fetch thread for each of its export partitions, the queue between them and
 * {@code poll()}, and the ack thread.
 *
 * <p>{@link #poll} belongs to Connect's task thread; {@link #stop} is safe from any.
 */
final class StartedSourceTask {
  private static final Logger LOG = LoggerFactory.getLogger(StartedSourceTask.class);

  /**
   * A quarter of the second within which {@code poll()} has to return, so that a busy worker has
   * room.
   */
  static final long POLL_WAIT_MS = 250;

  /** Together with the rest of stopping, well inside the worker's 5 s. */
  static final long STOP_LIMIT_MS = 1_500;

  private final String name;
  private final Clock clock;
  private final PollTimes pollTimes;
  private final PageQueue queue;
  private final TaskFailure failure;
  private final Optional<TransactionContext> transactions;
  private final List<PartitionExport> exports = new ArrayList<>();
  private final List<PartitionMetrics> metrics = new ArrayList<>();
  private final List<MBeanRegistration> registrations = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final Optional<AckLoop> ackLoop;
  private volatile boolean stopped;

  private StartedSourceTask(
      SourceConfig config,
      Map<Integer, SourceOffset> offsets,
      Optional<TransactionContext> transactions,
      Collaborators collaborators) {
    this.name = config.connectorName() + "-" + config.taskIndex();
    this.clock = collaborators.clock();
    this.pollTimes = new PollTimes(clock);
    // Connect looks between two polls whether it is to pause, and a transaction that is open then
    // stays open until the brokers abort it and fence the task: none may be.
    int pollMaxRecords = transactions.isPresent() ? Integer.MAX_VALUE : config.pollMaxRecords();
    this.queue = new PageQueue(config.queueMaxBytes(), pollMaxRecords);
    this.failure = new TaskFailure(queue);
    this.transactions = transactions;
    PartitionExport.Shared shared =
        new PartitionExport.Shared(
            config,
            new DataTopic(config, collaborators.topicAdmin(), clock),
            collaborators.topicStarts(),
            queue,
            failure,
            clock);
    Map<Integer, AckSender> senders = new HashMap<>();
    Map<Integer, PartitionMetrics> metricsByPartition = new HashMap<>();
    for (int partition : config.taskPartitions()) {
      PartitionMetrics counted = new PartitionMetrics(config, queue::bytes, clock);
      Optional<SourceOffset> offset = Optional.ofNullable(offsets.get(partition));
      PartitionExport export =
          new PartitionExport(
              shared,
              config.identity(partition),
              offset,
              client(config, partition, counted, collaborators),
              counted);
      exports.add(export);
      metrics.add(counted);
      metricsByPartition.put(partition, counted);
      senders.put(
          partition,
          new AckSender(
              config,
              config.identity(partition),
              export::leadership,
              collaborators.queryPorts(),
              clock,
              counted));
      threads.add(daemon(export, "tula-fetch-" + config.clientName(partition)));
    }
    this.ackLoop = ackLoop(config, senders, metricsByPartition, collaborators);
    ackLoop.ifPresent(loop -> threads.add(daemon(loop, "tula-ack-" + name)));
    registerBeans(config, metricsByPartition);
  }

  private static LeaderClient client(
      SourceConfig config, int partition, PartitionMetrics counted, Collaborators collaborators) {
    return LeaderClient.builder(config.queryPort(), config.clientName(partition))
        .factory(collaborators.queryPorts())
        .followerReads(config.followerReads())
        .clock(collaborators.clock())
        .observer(counted)
        .build();
  }

  private void registerBeans(
      SourceConfig config, Map<Integer, PartitionMetrics> metricsByPartition) {
    registrations.add(
        MBeanRegistration.register(
            MBeanRegistration.nameOf("source-polls", config.connectorName(), config.taskIndex()),
            pollTimes));
    metricsByPartition.forEach(
        (partition, bean) ->
            registrations.add(
                MBeanRegistration.register(
                    MBeanRegistration.nameOf(
                        "source-task", config.connectorName(), config.taskIndex(), partition),
                    bean)));
  }

  /** With follower reads there is nobody to ack to. */
  private Optional<AckLoop> ackLoop(
      SourceConfig config,
      Map<Integer, AckSender> senders,
      Map<Integer, PartitionMetrics> metricsByPartition,
      Collaborators collaborators) {
    if (config.followerReads()) {
      return Optional.empty();
    }
    return Optional.of(
        new AckLoop(
            collaborators.checkpointTail(),
            senders,
            metricsByPartition,
            config.queryPort().retryPolicy(),
            collaborators.clock(),
            failure));
  }

  private static Thread daemon(Runnable work, String name) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Starts a task. Does no I/O of its own: what can take time, or fail, happens on the task's
   * threads and comes out of {@link #poll}.
   *
   * @param offsets the source offsets that there are, by export partition
   * @param transactions where transactions end at the connector's word
   */
  static StartedSourceTask start(
      SourceConfig config,
      Map<Integer, SourceOffset> offsets,
      Optional<TransactionContext> transactions,
      Collaborators collaborators) {
    StartedSourceTask task = new StartedSourceTask(config, offsets, transactions, collaborators);
    task.threads.forEach(Thread::start);
    return task;
  }

  /**
   * The next records, all of one page and in its order, and the whole page where transactions end
   * at the connector's word; null if there are none for a quarter of a second.
   *
   * @throws RuntimeException what ended the export, once everything read before it was handed over
   */
  List<SourceRecord> poll() throws InterruptedException {
    long began = clock.elapsedNanos();
    try {
      return next();
    } finally {
      pollTimes.took(clock.elapsedNanos() - began);
    }
  }

  private List<SourceRecord> next() throws InterruptedException {
    Optional<RecordBatch> batch = queue.poll(POLL_WAIT_MS);
    if (batch.isEmpty()) {
      if (!stopped) {
        failure.throwIfFailed();
      }
      return null;
    }
    if (batch.get().endsPage()) {
      transactions.ifPresent(context -> context.commitTransaction(batch.get().last()));
    }
    return batch.get().records();
  }

  /** Stops everything. Returns within two seconds; a thread that is stuck longer ends by itself. */
  void stop() {
    long began = clock.elapsedMs();
    stopped = true;
    queue.close();
    exports.forEach(PartitionExport::stop);
    threads.forEach(Thread::interrupt);
    ackLoop.ifPresent(AckLoop::stop);
    joinThreads();
    metrics.forEach(PartitionMetrics::down);
    registrations.forEach(MBeanRegistration::close);
    LOG.info("{} stopped in {} ms; {}", name, clock.elapsedMs() - began, pollTimes.describe());
  }

  private void joinThreads() {
    long end = clock.elapsedMs() + STOP_LIMIT_MS;
    try {
      for (Thread thread : threads) {
        thread.join(Math.max(1, end - clock.elapsedMs()));
        if (thread.isAlive()) {
          LOG.warn("{} does not end in time and is left to itself", thread.getName());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
