package dev.tula.connect.sink;

import dev.tula.connect.model.ConnectRecords;
import dev.tula.connect.model.MalformedRecordException;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.sink.engine.CommitEngine;
import dev.tula.connect.sink.engine.CutRange;
import dev.tula.connect.sink.engine.Effect;
import dev.tula.connect.sink.engine.EffectRunner;
import dev.tula.connect.sink.engine.EngineSettings;
import dev.tula.connect.sink.engine.Finding;
import dev.tula.connect.sink.engine.KafkaPosition;
import dev.tula.connect.sink.engine.Lake;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.Outcome;
import dev.tula.connect.sink.engine.Phase;
import dev.tula.connect.sink.engine.RangeAssembler;
import dev.tula.connect.sink.engine.Stop;
import dev.tula.connect.sink.engine.TableNames;
import dev.tula.connect.sink.engine.TableRows;
import dev.tula.connect.sink.engine.Verdict;
import dev.tula.connect.sink.engine.Writer;
import dev.tula.connect.sink.fencing.LeaseHeldException;
import dev.tula.connect.sink.fencing.LeaseKeeper;
import dev.tula.connect.sink.fencing.LeaseLostException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drives one partition's commit engine on a thread of its own: opens the partition in the
 * background (C1), feeds the stream to the assembler, runs the engine's effects side by side on
 * threads that no other partition's calls can take, and waits between tries of what failed, and
 * before the next commit to a table where nobody knows what became of the last. The engine and the
 * assembler decide; this only does.
 *
 * <p>Connect's thread calls the methods that say so; all others belong to the writer's thread.
 */
final class PartitionWriter implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(PartitionWriter.class);

  /** The longest sleep of an idle writer, so that intervals are met. */
  private static final long IDLE_WAIT_MS = 100;

  /**
   * The longest that one try to connect may take, which is longer than all time limits in it
   * together: a catalog's client that waits for ever has none.
   */
  private static final long CONNECT_LIMIT_MS = 300_000;

  /** Items that are taken before the engine's replies are looked at again. */
  private static final int ITEMS_PER_TURN = 2_000;

  /** The part of the task's memory that comparing replays may take before the lake is read. */
  private static final int COMPARISON_MEMORY_PART = 16;

  private final TopicPartition partition;
  private final SinkConfig config;
  private final PartitionPorts.Factory factory;
  private final SinkRuntime runtime;
  private final ExecutorService calls;
  private final FileThreads.Share files;
  private final ElapsedTime time;
  private final SinkMetrics metrics;
  private final RecordQueue queue;
  private final MemoryBudget.Account memory;
  private final CommitEngine engine;
  private final RangeAssembler assembler;
  private final ReplayComparison comparison;
  private final Retries retries;

  /**
   * By table: its commits since the last one that was known to have landed or to be refused, whose
   * replies told neither.
   */
  private final Retries unknowns;

  private final PortHandover handover = new PortHandover();
  private final LinkedBlockingQueue<Runnable> inbox = new LinkedBlockingQueue<>();
  private final Map<Effect, Boolean> running = new HashMap<>();

  private PartitionPorts ports;
  private EffectRunner runner;
  private boolean opening;
  private boolean reading;
  private SinkRecord held;
  private StreamItem heldItem;
  private Optional<StreamItem.Start> beginning = Optional.empty();
  private long beginningOffset;
  private Map<String, TableRows> committing = Map.of();
  private long committingSince;
  private long lastCutMs;
  private boolean cutForMemory;
  private Optional<Finding> logged = Optional.empty();
  private long falseFailures;
  private long withheldDeletes;
  private long failedRenewals;

  private volatile Thread thread;
  private volatile boolean closed;
  private volatile OptionalLong connectingSinceMs = OptionalLong.empty();
  private volatile OptionalLong seek = OptionalLong.empty();
  private volatile OptionalLong committedOffset = OptionalLong.empty();
  private volatile Optional<Stop> stop = Optional.empty();

  PartitionWriter(
      TopicPartition partition,
      SinkConfig config,
      PartitionPorts.Factory factory,
      SinkRuntime runtime,
      Clocks clocks,
      SinkMetrics metrics) {
    this.partition = partition;
    this.config = config;
    this.factory = factory;
    this.runtime = runtime;
    this.calls = runtime.openCalls(partition);
    this.files = runtime.openFiles();
    this.time = clocks.elapsed();
    this.metrics = metrics;
    this.queue = new RecordQueue(config.queueMaxBytes());
    this.memory = runtime.memory().open(queue::bytes);
    this.retries = new Retries(config.backoff(), time);
    this.unknowns = new Retries(config.backoff(), time);
    this.comparison =
        new ReplayComparison(config.identity(), config.memoryMaxBytes() / COMPARISON_MEMORY_PART);
    this.assembler =
        new RangeAssembler(
            config.identity(), partition.partition(), partition.topic(), config.assemblyLimits());
    String writerId = UUID.randomUUID().toString().replace("-", "").substring(0, 16);
    EngineSettings settings =
        new EngineSettings(
            config.identity(),
            partition.partition(),
            writerId,
            config.writerEpoch(),
            config.commitMaxAttempts());
    this.engine = new CommitEngine(settings, clocks.dates());
  }

  /** Starts the thread. Connect's thread. */
  void start() {
    thread = new Thread(this, "tula-writer-" + config.connectorName() + "-" + partition);
    thread.setDaemon(true);
    thread.start();
  }

  /** Hands over polled records. Never blocks. Connect's thread. */
  void put(Collection<SinkRecord> records) {
    queue.add(records);
    wake();
  }

  /**
   * Where the consumer must be set to, if it must; what was polled before is dropped. Connect's
   * thread.
   */
  OptionalLong takeSeek() {
    OptionalLong taken = seek;
    if (taken.isPresent()) {
      seek = OptionalLong.empty();
      queue.open();
    }
    return taken;
  }

  /** Whether the Kafka partition should be paused. Connect's thread. */
  boolean wantsPause() {
    return seek.isPresent() || queue.isFull() || memory.mustWait() || stop.isPresent();
  }

  /** The offset that goes with W (I3); absent before it is known. Connect's thread. */
  OptionalLong committedOffset() {
    return committedOffset;
  }

  /** Why it ended, if it has. Connect's thread. */
  Optional<Stop> stopped() {
    return stop;
  }

  /**
   * Ends it without waiting: what it has not committed is forgotten, and what is in flight may land
   * or not; the next writer finds out. Connect's thread.
   */
  void close() {
    closed = true;
    Thread running = thread;
    if (running != null) {
      running.interrupt();
    }
  }

  /** Waits for the thread's end. Connect's thread. */
  void awaitEnd(long timeoutMs) throws InterruptedException {
    Thread running = thread;
    if (running != null) {
      running.join(timeoutMs);
    }
  }

  private void wake() {
    if (inbox.isEmpty()) {
      inbox.add(() -> {});
    }
  }

  @Override
  public void run() {
    try {
      while (!closed && engine.stopped().isEmpty()) {
        turn();
      }
      engine.stopped().ifPresent(this::end);
    } catch (InterruptedException e) {
      LOG.debug("Writer of {} was interrupted", partition);
    } catch (RuntimeException | Error e) {
      LOG.error("Writer of {} failed", partition, e);
      engine.stop(
          new Stop(Stop.Code.FAILED, "the writer of " + partition + " failed unexpectedly: " + e));
      end(engine.stopped().orElseThrow());
    } finally {
      calls.shutdownNow();
      files.close();
      queue.close();
      memory.close();
      closePorts();
    }
  }

  private void closePorts() {
    handover.end();
    if (ports != null) {
      ports.close();
    }
  }

  private void end(Stop end) {
    if (end.code() == Stop.Code.HALTED || end.code() == Stop.Code.HALTED_BEFORE) {
      metrics.halted(true);
    }
    metrics.phase("Stopped: " + end.code(), false);
    metrics.failed(end.codedMessage());
    stop = Optional.of(end);
  }

  private void turn() throws InterruptedException {
    endIfConnectingHangs();
    openPorts();
    checkLease();
    afterMove();
    launchEffects();
    boolean busy = takeItems();
    account();
    cutIfDue();
    logFinding();
    Runnable reply = busy ? inbox.poll() : inbox.poll(waitMs(), TimeUnit.MILLISECONDS);
    while (reply != null) {
      reply.run();
      reply = inbox.poll();
    }
    tell();
  }

  /** Ends the writer with its lease, so that an idle one is seen to have lost it. */
  private void checkLease() {
    if (ports == null || ports.lease().isEmpty() || engine.stopped().isPresent()) {
      return;
    }
    LeaseKeeper lease = ports.lease().get();
    tellRenewals(lease);
    try {
      lease.check();
    } catch (LeaseLostException e) {
      leaseLost(e);
    }
  }

  /** The keeper counts from when it was made, and the metrics outlast it. */
  private void tellRenewals(LeaseKeeper lease) {
    long failures = lease.failedRenewals();
    metrics.leaseRenewalErrors(failures - failedRenewals);
    failedRenewals = failures;
  }

  private void leaseLost(LeaseLostException failure) {
    metrics.leaseLost();
    engine.stop(new Stop(Stop.Code.FENCED, partition + ": " + failure.getMessage()));
  }

  /** Tells the budget, which other partitions' writers go by, what this one holds. */
  private void account() {
    long sealed = committing.values().stream().mapToLong(TableRows::heldBytes).sum();
    memory.state(
        !reading || halting() || beginning.isPresent() || !engine.isIdle(), assembler.canCut());
    memory.holds(assembler.heldBytes() + comparison.bytes(), sealed, assembler.windowBytes());
  }

  private long waitMs() {
    long nextMs = Math.min(retries.nextMs(), unknowns.nextMs());
    return Math.max(1, Math.min(IDLE_WAIT_MS, nextMs));
  }

  private void tell() {
    account();
    metrics.phase(engine.phase().getClass().getSimpleName(), engine.writer().isPresent());
    metrics.reading(
        assembler.proven().globalBatchSeq(),
        assembler.openRows(),
        queue.bytes(),
        assembler.replayedRows());
    if (ports != null) {
      tellMisreports();
    }
    MemoryBudget budget = memory.budget();
    metrics.memory(budget.usedBytes(), budget.rowBytes(), budget.reachedTotal());
  }

  /** The lake counts from when it was opened, and the metrics outlast it. */
  private void tellMisreports() {
    long failures = ports.lake().falseFailures();
    long deletes = ports.lake().withheldDeletes();
    metrics.misreported(failures - falseFailures, deletes - withheldDeletes);
    falseFailures = failures;
    withheldDeletes = deletes;
  }

  /**
   * Connecting is an effect of its own: it may fail and be tried again, off Connect's thread (C1).
   */
  private void openPorts() {
    if (ports != null || opening || !retries.isDue("open")) {
      return;
    }
    opening = true;
    calls.execute(this::connect);
  }

  /** On one of the writer's threads. */
  private void connect() {
    connectingSinceMs = OptionalLong.of(time.ms());
    try {
      handover.give(factory.open(partition.partition()), () -> inbox.add(this::opened));
    } catch (RuntimeException | Error e) {
      inbox.add(() -> openFailed(e));
    }
  }

  private void endIfConnectingHangs() {
    OptionalLong since = connectingSinceMs;
    if (since.isPresent() && time.ms() - since.getAsLong() > CONNECT_LIMIT_MS) {
      engine.stop(
          new Stop(
              Stop.Code.FAILED,
              partition
                  + ": connecting to catalog and brokers has not ended for "
                  + CONNECT_LIMIT_MS
                  + " ms. Look at the catalog, and give its client a time limit (iceberg.catalog.*)"));
    }
  }

  private void opened() {
    connectingEnded();
    ports = handover.take();
    metrics.fencing(ports.lease().isPresent());
    runner =
        new EffectRunner(config.identity(), partition.partition(), ports.lake(), ports.events());
    retries.succeeded("open");
  }

  private void openFailed(Throwable failure) {
    connectingEnded();
    failed("open", failure);
  }

  /** The try came to its end, one way or the other. */
  private void connectingEnded() {
    opening = false;
    connectingSinceMs = OptionalLong.empty();
  }

  private void launchEffects() {
    if (ports == null) {
      return;
    }
    Set<Effect> wanted = engine.effects();
    retries.forget(what -> what instanceof Effect effect && !wanted.contains(effect));
    List<Effect.Commit> together = new ArrayList<>();
    for (Effect effect : wanted) {
      if (running.containsKey(effect)) {
        continue;
      }
      if (runner.goesTogether(effect)) {
        together.add((Effect.Commit) effect);
      } else if (isDue(effect)) {
        launch(effect);
      }
    }
    if (!together.isEmpty() && together.stream().allMatch(this::isDue)) {
      together.forEach(commit -> running.put(commit, true));
      calls.execute(() -> runTogether(together));
    }
  }

  private boolean isDue(Effect effect) {
    return retries.isDue(effect)
        && (!(effect instanceof Effect.Commit commit) || unknowns.isDue(commit.commit().table()));
  }

  private void launch(Effect effect) {
    running.put(effect, true);
    Map<String, TableRows> rows = committing;
    Executor executor = effect instanceof Effect.Stage ? files : calls;
    executor.execute(() -> runEffect(effect, rows));
  }

  private void runTogether(List<Effect.Commit> commits) {
    try {
      List<Outcome> outcomes = runner.runTogether(commits);
      for (int i = 0; i < commits.size(); i++) {
        Effect commit = commits.get(i);
        Outcome outcome = outcomes.get(i);
        inbox.add(() -> completed(commit, outcome));
      }
    } catch (RuntimeException | Error e) {
      commits.forEach(commit -> inbox.add(() -> effectFailed(commit, e)));
    }
  }

  private void runEffect(Effect effect, Map<String, TableRows> rows) {
    try {
      Outcome outcome = runner.run(effect, rows);
      inbox.add(() -> completed(effect, outcome));
    } catch (RuntimeException | Error e) {
      inbox.add(() -> effectFailed(effect, e));
    }
  }

  private void effectFailed(Effect effect, Throwable failure) {
    running.remove(effect);
    if (engine.effects().contains(effect)) {
      failed(effect, failure);
    }
  }

  private void completed(Effect effect, Outcome outcome) {
    running.remove(effect);
    retries.succeeded(effect);
    if (outcome instanceof Outcome.Committed committed && effect instanceof Effect.Commit commit) {
      replied(commit.commit().table(), committed.reply());
    }
    // Another effect of the same phase may have ended that phase, and with it this one's meaning.
    if (engine.effects().contains(effect)) {
      engine.complete(effect, outcome);
      logFinding();
      afterMove();
    }
  }

  private void replied(String table, Lake.CommitReply reply) {
    if (reply instanceof Lake.CommitReply.Unknown unknown) {
      unknownReply(table, unknown.cause());
      return;
    }
    unknowns.succeeded(table);
    if (reply instanceof Lake.CommitReply.Refused) {
      metrics.conflict();
    }
  }

  /**
   * The table is looked at straight away, and the next commit to it waits. A halt is never given up
   * for lack of time: the engine counts its tries, and then the topic has it (C25).
   */
  private void unknownReply(String table, String cause) {
    metrics.commitUnknown(cause);
    boolean again = unknowns.failed(table) || engine.phase() instanceof Phase.RecordingHalt;
    if (again) {
      LOG.warn(
          "{}: a commit may have landed or not; the table is looked at, and the commit tried again"
              + " if it did not: {}",
          partition,
          cause);
      return;
    }
    String message =
        partition
            + ": for "
            + unknowns.failingForMs(table)
            + " ms no reply has told whether a commit to table "
            + physicalName(table)
            + " landed, and the table does not show one. It was tried again meanwhile, the last"
            + " time with: "
            + cause
            + ". Look at the catalog, and at what stands before it: its commits fail or hang."
            + " Nothing was lost; what was to be committed is committed again after a restart";
    LOG.error("{}", message);
    engine.stop(new Stop(Stop.Code.FAILED, message));
  }

  private String physicalName(String table) {
    return new TableNames(config.identity().generation(), config.identity().partitionCount())
        .physical(table, partition.partition());
  }

  private void failed(Object what, Throwable failure) {
    if (failure instanceof LeaseLostException lost) {
      leaseLost(lost);
      return;
    }
    if (failure instanceof LeaseHeldException standby) {
      retries.standBy(what, standby.askAgainMs());
      metrics.standby(standby.getMessage());
      return;
    }
    String message = failure.getMessage() == null ? failure.toString() : failure.getMessage();
    boolean passing = failure instanceof LakeException lake && lake.isRetriable();
    metrics.error(message);
    if (passing && retries.failed(what)) {
      LOG.warn("{}: {}; trying again", partition, message, failure);
      return;
    }
    LOG.error("{}: {}", partition, message, failure);
    String suffix =
        passing ? " It was tried again for " + config.backoff().timeoutMs() + " ms." : "";
    engine.fail(new Stop(Stop.Code.FAILED, partition + ": " + message + suffix));
  }

  /** As it arises: recording it takes time, and may fail (C25). */
  private void logFinding() {
    Optional<Finding> now = engine.finding();
    if (now.isPresent() && !now.equals(logged)) {
      LOG.error("{}: lake and stream disagree: {}", partition, now.get().message());
    }
    logged = now;
  }

  /** Follows what the engine did: recovered, or moved W. */
  private void afterMove() {
    if (!engine.isIdle()) {
      return;
    }
    unknowns.forget(table -> true);
    Writer writer = engine.writer().orElseThrow();
    if (!reading) {
      startReading(writer);
    } else if (beginning.isPresent()) {
      beginning = Optional.empty();
      assembler.begun(writer, beginningOffset + 1);
      moved(writer);
    } else if (!committing.isEmpty() || committingSince != 0) {
      assembler.limitWindow(memory.budget().windowBytes());
      assembler.committed(writer.position().orElseThrow());
      long rows = committing.values().stream().mapToLong(TableRows::rows).sum();
      long bytes = committing.values().stream().mapToLong(TableRows::bytes).sum();
      metrics.committed(rows, bytes, System.nanoTime() - committingSince);
      committing = Map.of();
      committingSince = 0;
      moved(writer);
    }
  }

  private void startReading(Writer writer) {
    reading = true;
    lastCutMs = time.ms();
    assembler.resume(writer);
    metrics.halted(false);
    metrics.epoch(writer.claim().epoch());
    LOG.info(
        "{}: claimed {}, watermark {}, reading from offset {}{}",
        partition,
        writer.claim(),
        writer.position().map(Object::toString).orElse("not set"),
        assembler.resumeOffset(),
        writer.forcedCut().map(d -> ", first range is cut again at " + d).orElse(""));
    moved(writer);
    seek = OptionalLong.of(assembler.resumeOffset());
  }

  private void moved(Writer writer) {
    writer
        .position()
        .ifPresent(
            w -> {
              KafkaPosition kafka = writer.watermarkState().kafka().orElseThrow();
              committedOffset = OptionalLong.of(kafka.offset());
              metrics.watermark(
                  w.globalBatchSeq(),
                  kafka.offset(),
                  writer.watermarkState().totalRows(),
                  writer.watermark().state().closedThroughMicros().orElse(0));
            });
  }

  /**
   * Takes items until there are none, one must wait, or it is time to look at replies. Returns
   * whether there may be more.
   */
  private boolean takeItems() throws InterruptedException {
    if (!reading || seek.isPresent() || halting()) {
      return false;
    }
    for (int i = 0; i < ITEMS_PER_TURN; i++) {
      if (beginning.isPresent() || halting() || !next()) {
        compareReplays();
        return false;
      }
      if (!take()) {
        return false;
      }
    }
    return true;
  }

  private boolean halting() {
    return engine.snapshot().pendingHalt().isPresent() || engine.writer().isEmpty();
  }

  private boolean next() {
    if (held == null) {
      held = queue.poll();
      heldItem = held == null ? null : decode(held);
    }
    return heldItem != null;
  }

  private StreamItem decode(SinkRecord entry) {
    try {
      return ConnectRecords.fromConnect(entry.valueSchema(), entry.value());
    } catch (MalformedRecordException e) {
      engine.stop(
          new Stop(
              Stop.Code.FAILED,
              partition + ", offset " + entry.originalKafkaOffset() + ": " + e.getMessage()));
      return null;
    }
  }

  /** Offers the item in hand. Returns whether the next may follow. */
  private boolean take() throws InterruptedException {
    long offset = held.originalKafkaOffset();
    Verdict verdict = assembler.offer(heldItem, offset);
    if (verdict instanceof Verdict.Taken) {
      held = null;
      return true;
    }
    if (verdict instanceof Verdict.CompareWithLake compare) {
      held = null;
      return compare(compare, offset);
    }
    return takeSpecially(verdict, offset);
  }

  private boolean takeSpecially(Verdict verdict, long offset) throws InterruptedException {
    if (!compareReplays()) {
      return false;
    }
    if (verdict instanceof Verdict.CutFirst) {
      return cut();
    }
    if (verdict instanceof Verdict.Begin begin) {
      held = null;
      beginning = Optional.of(begin.start());
      beginningOffset = offset;
      engine.start(
          begin.start(), new KafkaPosition(partition.topic(), partition.partition(), offset + 1));
    } else if (verdict instanceof Verdict.SearchFirst search) {
      search(search.finding());
    } else if (verdict instanceof Verdict.Halt halt) {
      engine.halt(halt.finding());
    } else if (verdict instanceof Verdict.Refuse refuse) {
      engine.stop(refuse.stop());
    }
    return false;
  }

  /**
   * The place stored with W does not lead to W's successor: the whole Kafka partition is read
   * before giving up (C10).
   */
  private void search(Finding finding) {
    LOG.warn("{}: {}; reading the partition from its beginning", partition, finding.what());
    held = null;
    assembler.searching();
    queue.close();
    seek = OptionalLong.of(0);
  }

  private boolean compare(Verdict.CompareWithLake compare, long offset)
      throws InterruptedException {
    Optional<Finding> finding = comparison.add(compare.row(), offset);
    if (finding.isPresent()) {
      engine.halt(finding.get());
      return false;
    }
    return !comparison.isFull() || compareReplays();
  }

  /** Compares what was gathered. Returns whether all agree. */
  private boolean compareReplays() throws InterruptedException {
    while (!comparison.isEmpty() && engine.stopped().isEmpty()) {
      try {
        Optional<Finding> finding = comparison.compareWith(ports.lake());
        comparison.offsets().forEach(assembler::compared);
        comparison.clear();
        retries.succeeded("compare");
        finding.ifPresent(engine::halt);
        return finding.isEmpty();
      } catch (LakeException e) {
        failed("compare", e);
        Thread.sleep(Math.max(1, retries.untilDueMs("compare")));
      }
    }
    return engine.stopped().isEmpty();
  }

  private void cutIfDue() throws InterruptedException {
    if (!reading || halting() || beginning.isPresent()) {
      return;
    }
    if (time.ms() - lastCutMs >= config.commitIntervalMs() && assembler.hasContent()) {
      assembler.wantCut();
    }
    if (memory.mustCut() && assembler.hasContent() && !assembler.cutDue()) {
      cutForMemory = true;
      assembler.wantCut();
    }
    if (assembler.cutDue() && compareReplays()) {
      cut();
    }
  }

  /** Cuts the range, unless the one before is still being committed. */
  private boolean cut() {
    if (!engine.isIdle() || halting()) {
      return false;
    }
    CutRange cut = assembler.cut();
    committing = cut.rows();
    committingSince = System.nanoTime();
    lastCutMs = time.ms();
    if (cutForMemory) {
      metrics.cutForMemory();
      cutForMemory = false;
    }
    engine.commit(cut.range());
    account();
    launchEffects();
    return true;
  }

  /** The phase, for tests. */
  Phase phase() {
    return engine.phase();
  }
}
