package dev.tula.connect.sink;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.LedgerConverter;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.model.metrics.MBeanRegistration;
import dev.tula.connect.sink.engine.EventLog;
import dev.tula.connect.sink.engine.EventsView;
import dev.tula.connect.sink.engine.KafkaPosition;
import dev.tula.connect.sink.engine.Lake;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.engine.StagedFile;
import dev.tula.connect.sink.engine.TableCommit;
import dev.tula.connect.sink.engine.TableRows;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.engine.TableView;
import dev.tula.connect.sink.engine.WatermarkState;
import dev.tula.connect.sink.engine.sim.SimLake;
import dev.tula.connect.sink.engine.sim.SimLog;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import javax.management.JMException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTaskContext;

/** The sink's task over lakes and topics in memory, with the test in Connect's place. */
final class SinkBench implements AutoCloseable {
  static final String TOPIC = "ledger-topic";

  private static final long LIMIT_NS = 120_000_000_000L;
  private static final long BETWEEN_POLLS_NS = 1_000_000;
  private static final int MAX_POLL_RECORDS = 200;

  private final Map<String, String> config = TestLedger.sinkConfig();
  private final List<World> worlds = new ArrayList<>();
  private final LedgerConverter converter = new LedgerConverter();
  private final AtomicInteger openPorts = new AtomicInteger();
  private String deliveredTopic = TOPIC;
  private Clocks clocks = Clocks.SYSTEM;
  private Context context;
  private IcebergExactlyOnceSinkTask task;

  SinkBench(int partitions) {
    config.put("topics", TOPIC);
    config.put("tula.partition.count", Integer.toString(partitions));
    config.put("tula.commit.interval.ms", "100");
    for (int partition = 0; partition < partitions; partition++) {
      worlds.add(new World(partition, partitions));
    }
  }

  /** A setting of the tasks that are started from now on. */
  SinkBench with(String key, String value) {
    config.put(key, value);
    return this;
  }

  /** The time that tasks go by that are started from now on. */
  SinkBench with(Clocks others) {
    clocks = others;
    return this;
  }

  /** From now on a transform gives the records this topic. */
  void rename(String topic) {
    deliveredTopic = topic;
  }

  /** How many partitions' ports are open. */
  int openPorts() {
    return openPorts.get();
  }

  /** Waits until every writer's ports are closed; fails if they are not in time. */
  void awaitClosedPorts() {
    long deadline = System.nanoTime() + LIMIT_NS;
    while (openPorts.get() > 0) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError(openPorts + " ports are open still");
      }
      LockSupport.parkNanos(BETWEEN_POLLS_NS);
    }
  }

  World world(int partition) {
    return worlds.get(partition);
  }

  Context context() {
    return context;
  }

  IcebergExactlyOnceSinkTask task() {
    return task;
  }

  /** An attribute of the MBean of a partition of the task. */
  static Object metric(int partition, String name) {
    try {
      return ManagementFactory.getPlatformMBeanServer()
          .getAttribute(MBeanRegistration.nameOf("sink-task", "bench", 0, partition), name);
    } catch (JMException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What Connect is told to commit of a partition; −1 as long as the task does not know. */
  long offset(int partition) {
    TopicPartition of = partition(partition);
    OffsetAndMetadata read = new OffsetAndMetadata(context.position(of));
    OffsetAndMetadata told = task.preCommit(Map.of(of, read)).get(of);
    return told == null ? -1 : told.offset();
  }

  static TopicPartition partition(int partition) {
    return new TopicPartition(TOPIC, partition);
  }

  /** Starts a task; the one before was closed. */
  SinkBench start() {
    context = new Context();
    task = new IcebergExactlyOnceSinkTask((unused, topic) -> new Ports(), clocks);
    task.initialize(context);
    task.start(config);
    return this;
  }

  void open(int... partitions) {
    List<TopicPartition> opened = Arrays.stream(partitions).mapToObj(SinkBench::partition).toList();
    context.assigned.addAll(opened);
    task.open(opened);
  }

  /** A task that was started before this one, and was not closed. */
  SinkBench goBackTo(IcebergExactlyOnceSinkTask earlier, Context its) {
    task = earlier;
    context = its;
    return this;
  }

  /** Connect has a partition from now on, and does not tell the task. */
  void assignWithoutOpening(int partition) {
    context.assigned.add(partition(partition));
  }

  void revoke(int partition) {
    context.assigned.remove(partition(partition));
    task.close(List.of(partition(partition)));
  }

  /** One round of Connect's: what is not paused is delivered, from where the consumer stands. */
  void poll() {
    List<SinkRecord> polled = new ArrayList<>();
    for (TopicPartition partition : context.assigned) {
      if (!context.paused.contains(partition)) {
        polled.addAll(poll(partition));
      }
    }
    task.put(polled);
  }

  private List<SinkRecord> poll(TopicPartition partition) {
    List<StreamItem> items = world(partition.partition()).items;
    int from = Math.toIntExact(context.position(partition));
    int to = Math.min(items.size(), from + MAX_POLL_RECORDS);
    List<SinkRecord> polled = new ArrayList<>();
    for (int offset = from; offset < to; offset++) {
      SchemaAndValue value =
          converter.toConnectData(TOPIC, LedgerConverter.encode(items.get(offset)));
      polled.add(delivered(partition.partition(), offset, value));
    }
    context.positions.put(partition, (long) Math.max(from, to));
    return polled;
  }

  SinkRecord delivered(int partition, long offset, SchemaAndValue value) {
    return new SinkRecord(
        deliveredTopic,
        partition,
        null,
        null,
        value.schema(),
        value.value(),
        offset,
        null,
        TimestampType.NO_TIMESTAMP_TYPE,
        List.of(),
        TOPIC,
        partition,
        offset);
  }

  /** Polls until something holds; fails if it does not in time. */
  void pollUntil(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + LIMIT_NS;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("it never came to " + what);
      }
      poll();
      LockSupport.parkNanos(BETWEEN_POLLS_NS);
    }
  }

  void pollUntilWatermark(int partition, long batch) {
    Optional<Position> wanted = Optional.of(Position.batchEnd(batch));
    pollUntil(
        "W = " + wanted, () -> world(partition).watermark().flatMap(TableState::to).equals(wanted));
  }

  @Override
  public void close() {
    worlds.forEach(World::release);
    if (task != null) {
      context.assigned.clear();
      task.stop();
    }
  }

  private final class Ports implements PartitionPorts.Factory {
    @Override
    public PartitionPorts open(int partition) {
      world(partition).pass(world(partition).calls);
      openPorts.incrementAndGet();
      return new PartitionPorts(
          world(partition), world(partition), Optional.empty(), openPorts::decrementAndGet);
    }

    @Override
    public void close() {}
  }

  /** What the task asks of Connect. */
  final class Context implements SinkTaskContext {
    private final Map<TopicPartition, Long> positions = new HashMap<>();
    private final Set<TopicPartition> assigned = new HashSet<>();
    private final Set<TopicPartition> paused = new HashSet<>();
    private long timeoutMs = -1;

    /** The time limit that was asked for last, which holds for one poll; −1 for none. */
    long takeTimeoutMs() {
      long taken = timeoutMs;
      timeoutMs = -1;
      return taken;
    }

    Set<TopicPartition> paused() {
      return paused;
    }

    /** Where the consumer stands. */
    long position(TopicPartition partition) {
      return positions.getOrDefault(partition, 0L);
    }

    @Override
    public Map<String, String> configs() {
      return Map.of("topics", TOPIC);
    }

    @Override
    public void offset(Map<TopicPartition, Long> offsets) {
      positions.putAll(offsets);
    }

    @Override
    public void offset(TopicPartition partition, long offset) {
      positions.put(partition, offset);
    }

    @Override
    public void timeout(long wantedMs) {
      timeoutMs = wantedMs;
    }

    @Override
    public Set<TopicPartition> assignment() {
      return Set.copyOf(assigned);
    }

    @Override
    public void pause(TopicPartition... partitions) {
      paused.addAll(List.of(partitions));
    }

    @Override
    public void resume(TopicPartition... partitions) {
      List.of(partitions).forEach(paused::remove);
    }

    @Override
    public void requestCommit() {
      throw new UnsupportedOperationException();
    }

    @Override
    public PluginMetrics pluginMetrics() {
      throw new UnsupportedOperationException();
    }
  }

  /** One partition's records, tables and events. Its calls can be made to hang. */
  static final class World implements Lake, EventLog {
    private static final long REPLY_NS = 10 * BETWEEN_POLLS_NS;

    private final StreamIdentity identity;
    private final List<StreamItem> items = new ArrayList<>();
    private final SimLake lake = new SimLake(SimLake.Contents.EMPTY, (commit, before, after) -> {});
    private final SimLog log;
    private volatile CountDownLatch calls = new CountDownLatch(0);
    private volatile CountDownLatch commits = new CountDownLatch(0);
    private volatile BiFunction<TableCommit, Supplier<CommitReply>, CommitReply> answer =
        (commit, carriedOut) -> carriedOut.get();
    private volatile boolean together;
    private volatile long falseFailures;
    private volatile long withheldDeletes;
    private final List<List<String>> transactions = new CopyOnWriteArrayList<>();
    private final AtomicInteger loads = new AtomicInteger();
    private volatile CountDownLatch files = new CountDownLatch(0);
    private volatile Optional<LakeException> loadFailure = Optional.empty();
    private volatile Optional<LakeException> publishFailure = Optional.empty();
    private final AtomicInteger held = new AtomicInteger();

    World(int partition, int partitions) {
      this.identity = TestLedger.identity(partition, partitions);
      this.log = new SimLog(EventIdentity.of(identity), event -> {});
    }

    StreamIdentity identity() {
      return identity;
    }

    /** The records of its Kafka partition, by offset. */
    List<StreamItem> items() {
      return items;
    }

    /** START, and a page of batches. */
    void begin(long lastBatch) {
      items.add(TestLedger.start(identity));
      items.add(TestLedger.coverage(identity, Position.ORIGIN, Position.ORIGIN));
      page(1, lastBatch);
    }

    void page(long firstBatch, long lastBatch) {
      items.addAll(TestLedger.page(identity, firstBatch, lastBatch, 4));
    }

    synchronized Optional<TableState> watermark() {
      return lake.watermark();
    }

    synchronized Optional<WatermarkState> watermarkState() {
      return lake.watermark().flatMap(TableState::watermark);
    }

    /** Where Kafka is read from after W; −1 before the first. */
    long storedOffset() {
      return watermarkState().flatMap(WatermarkState::kafka).map(KafkaPosition::offset).orElse(-1L);
    }

    /** From now on no call returns. */
    void holdCalls() {
      calls = new CountDownLatch(1);
    }

    /** From now on no commit returns. */
    void holdCommits() {
      commits = new CountDownLatch(1);
    }

    /** From now on commits are answered so; what carries one out comes with it. */
    void answerCommits(BiFunction<TableCommit, Supplier<CommitReply>, CommitReply> with) {
      answer = with;
    }

    /** From now on no table can be loaded. */
    void failLoads(LakeException with) {
      loadFailure = Optional.of(with);
    }

    /** From now on no event can be published. */
    void failPublishing(LakeException with) {
      publishFailure = Optional.of(with);
    }

    private static void failIf(Optional<LakeException> failure) {
      if (failure.isPresent()) {
        throw failure.get();
      }
    }

    /** From now on the tables of a range are committed in one transaction (C22). */
    void commitTogether() {
      together = true;
    }

    /** The tables of each such transaction. */
    List<List<String>> transactions() {
      return transactions;
    }

    /** What its commits turned out to be otherwise than they were reported. */
    void misreport(long failures, long deletes) {
      falseFailures = failures;
      withheldDeletes = deletes;
    }

    @Override
    public long falseFailures() {
      return falseFailures;
    }

    @Override
    public long withheldDeletes() {
      return withheldDeletes;
    }

    /** How often a table was loaded. */
    int loads() {
      return loads.get();
    }

    /** From now on no file is written. */
    void holdFiles() {
      files = new CountDownLatch(1);
    }

    /** How many calls are being held. */
    int held() {
      return held.get();
    }

    void release() {
      calls.countDown();
      commits.countDown();
      files.countDown();
    }

    /** Heeds no interrupt: clients need not, and what one of them sends may still arrive. */
    private void pass(CountDownLatch gate) {
      if (gate.getCount() == 0) {
        return;
      }
      boolean interrupted = false;
      held.incrementAndGet();
      while (true) {
        try {
          gate.await();
          break;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      held.decrementAndGet();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public IdentityLookup lookUpIdentity() {
      pass(calls);
      synchronized (this) {
        return lake.lookUpIdentity();
      }
    }

    @Override
    public boolean createIdentity(PipelineIdentity pipeline) {
      pass(calls);
      synchronized (this) {
        return lake.createIdentity(pipeline);
      }
    }

    @Override
    public Optional<TableView> load(String table) {
      pass(calls);
      synchronized (this) {
        loads.incrementAndGet();
        failIf(loadFailure);
        return lake.load(table);
      }
    }

    @Override
    public void create(String table) {
      pass(calls);
      synchronized (this) {
        lake.create(table);
      }
    }

    @Override
    public CommitReply commit(TableCommit commit) {
      pass(calls);
      pass(commits);
      CommitReply reply = answer.apply(commit, () -> carryOut(commit));
      beOnTheWay();
      return reply;
    }

    /**
     * A reply comes after what it tells has long been seen in the lake. A test that takes the
     * lake's word for the task's fails each time, and not only on a slow machine.
     */
    private static void beOnTheWay() {
      LockSupport.parkNanos(REPLY_NS);
    }

    private synchronized CommitReply carryOut(TableCommit commit) {
      return lake.commit(commit);
    }

    @Override
    public boolean commitsTogether() {
      return together;
    }

    @Override
    public List<CommitReply> commitTogether(List<TableCommit> wanted) {
      transactions.add(wanted.stream().map(TableCommit::table).sorted().toList());
      return wanted.stream().map(this::commit).toList();
    }

    @Override
    public StagedFile stage(String table, String fileName, TableRows rows) {
      pass(files);
      synchronized (this) {
        return lake.stage(table, fileName, rows);
      }
    }

    @Override
    public synchronized List<CanonicalRow> read(String table, Range range, int maxRows) {
      return lake.read(table, range, maxRows);
    }

    @Override
    public synchronized List<CanonicalRow> readAt(
        String table, NavigableSet<Position> positions, int maxRows) {
      return lake.readAt(table, positions, maxRows);
    }

    @Override
    public synchronized EventsView read() {
      return log.read();
    }

    @Override
    public void publish(List<LakeEvent> events) {
      failIf(publishFailure);
      synchronized (this) {
        log.publish(events);
      }
      beOnTheWay();
    }
  }
}
