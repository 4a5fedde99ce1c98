package dev.tula.connect.source;

import dev.tula.connect.queryport.Clock;
import dev.tula.connect.queryport.QueryPortException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.MockAdminClient;
import org.apache.kafka.connect.source.SourceConnectorContext;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.storage.OffsetStorageReader;
import org.mockito.Mockito;

/**
 * What a Connect worker does with one connector, without Connect: it deals the partitions out to
 * tasks, polls each on a thread of its own, and stores records and offsets. Topics and offsets are
 * in memory and outlive the tasks; the ledger is whatever the configuration names.
 */
final class SmallWorker implements AutoCloseable {
  private static final long JOIN_MS = 10_000;

  final DataTopicDouble topic = new DataTopicDouble();
  final CheckpointsDouble checkpoints = new CheckpointsDouble();
  private final Map<Map<String, Object>, SourceOffset> offsets = new ConcurrentHashMap<>();
  private final Map<Integer, RunningTask> tasks = new ConcurrentHashMap<>();
  private final MockAdminClient admin;
  private List<Map<String, String>> configs = List.of();

  /** With brokers that others may use too. */
  SmallWorker(MockAdminClient admin) {
    this.admin = admin;
  }

  /**
   * Starts a connector and up to so many tasks.
   *
   * @throws RuntimeException what the connector refuses to start with
   */
  void start(Map<String, String> properties, int maxTasks) {
    TulaSourceConnector connector = new TulaSourceConnector();
    SourceConnectorContext context = Mockito.mock(SourceConnectorContext.class);
    Mockito.when(context.offsetStorageReader()).thenReturn(new StoredOffsets());
    connector.initialize(context);
    connector.start(properties);
    configs = connector.taskConfigs(maxTasks);
    for (int task = 0; task < configs.size(); task++) {
      startTask(task);
    }
  }

  /** Starts a task, or starts it again. */
  void startTask(int number) {
    tasks.put(number, new RunningTask(new SourceConfig(configs.get(number))));
  }

  /** Stops a task, as a rebalance does. */
  void stopTask(int number) {
    tasks.remove(number).end();
  }

  /** Nobody polls any more; the tasks stay. */
  void pause() {
    tasks.values().forEach(task -> task.paused = true);
  }

  /** Polls again. */
  void resume() {
    tasks.values().forEach(task -> task.paused = false);
  }

  /** Stops the tasks in order, as a stop and the deletion of a connector do. */
  void stop() {
    List.copyOf(tasks.keySet()).forEach(this::stopTask);
  }

  /** The process of a task is gone: nobody stops it, and nothing of it is heard any more. */
  void kill(int number) {
    RunningTask killed = tasks.get(number);
    killed.paused = true;
    killed.ports.fail(new QueryPortException("the process is gone"));
  }

  /** Every call that this task makes fails so from here on. */
  void fail(int number, QueryPortException with) {
    tasks.get(number).ports.fail(with);
  }

  /** What made a task fail; empty while it runs. */
  Optional<RuntimeException> failure(int number) {
    return Optional.ofNullable(tasks.get(number).failure);
  }

  /** The failure of a task, which has to come. */
  RuntimeException awaitFailure(int number) {
    await(() -> failure(number).isPresent());
    return failure(number).orElseThrow();
  }

  /** The source offset of a partition. */
  Optional<SourceOffset> offset(SourceConfig config, int partition) {
    return Optional.ofNullable(offsets.get(SourcePartition.of(config.identity(partition)).asMap()));
  }

  /** An attribute of the MBean of a partition of a running task. */
  Object attribute(int partition, String name) {
    SourceConfig config =
        tasks.values().stream()
            .map(task -> task.config)
            .filter(each -> each.taskPartitions().contains(partition))
            .findFirst()
            .orElseThrow();
    return TaskBean.attribute(config.connectorName(), config.taskIndex(), partition, name);
  }

  /** Waits for what has to come; a test's own time-out ends it. */
  static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      try {
        TimeUnit.MILLISECONDS.sleep(2);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("it never came", e);
      }
    }
  }

  @Override
  public void close() {
    stop();
  }

  private final class RunningTask {
    private final SourceConfig config;
    private final GatedPorts ports;
    private final StartedSourceTask task;
    private final Thread poller;
    private volatile boolean paused;
    private volatile boolean ended;
    private volatile RuntimeException failure;

    private RunningTask(SourceConfig config) {
      this.config = config;
      this.ports = new GatedPorts(config.queryPort().factory());
      Map<Integer, SourceOffset> own = new HashMap<>();
      for (int partition : config.taskPartitions()) {
        offset(config, partition).ifPresent(offset -> own.put(partition, offset));
      }
      this.task =
          StartedSourceTask.start(
              config,
              own,
              Optional.empty(),
              new Collaborators(
                  ports,
                  () -> new TopicAdmin(admin, 1_000),
                  checkpoints::open,
                  topic::look,
                  Clock.system()));
      this.poller = new Thread(this::poll, "polls-" + config.clientName(config.taskIndex()));
      poller.setDaemon(true);
      poller.start();
    }

    private void poll() {
      try {
        while (!ended) {
          if (paused) {
            TimeUnit.MILLISECONDS.sleep(5);
          } else {
            Optional.ofNullable(task.poll()).ifPresent(this::store);
          }
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (RuntimeException e) {
        task.stop();
        failure = e;
      }
    }

    @SuppressWarnings("unchecked")
    private void store(List<SourceRecord> records) {
      records.forEach(topic::append);
      SourceRecord last = records.get(records.size() - 1);
      offsets.put((Map<String, Object>) last.sourcePartition(), (SourceOffset) last.sourceOffset());
    }

    /** Connect stops polling first, and then the task. */
    private void end() {
      ended = true;
      task.stop();
      try {
        poller.join(JOIN_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private final class StoredOffsets implements OffsetStorageReader {
    @Override
    public <T> Map<String, Object> offset(Map<String, T> partition) {
      return offsets.get(partition);
    }

    @Override
    public <T> Map<Map<String, T>, Map<String, Object>> offsets(
        Collection<Map<String, T>> partitions) {
      Map<Map<String, T>, Map<String, Object>> found = new HashMap<>();
      partitions.forEach(partition -> found.put(partition, offset(partition)));
      return found;
    }
  }
}
