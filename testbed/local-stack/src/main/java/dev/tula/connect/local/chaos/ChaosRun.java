package dev.tula.connect.local.chaos;

import dev.tula.connect.local.AckCheck;
import dev.tula.connect.local.ConnectorConfig;
import dev.tula.connect.local.LakeVerdict;
import dev.tula.connect.local.LakeVerifier;
import dev.tula.connect.local.Pipeline;
import dev.tula.connect.local.StackException;
import dev.tula.connect.local.Wait;
import dev.tula.connect.model.Position;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

/**
 * One chaos run: load and faults for a while, then quiet until the lake is complete, then every row
 * is held against the ledger and every ack against the watermark. For one thread.
 */
final class ChaosRun implements AutoCloseable {
  private static final Duration TICK = Duration.ofMillis(100);
  private static final Duration LOOK_INTERVAL = Duration.ofSeconds(2);
  private static final Duration SHOW_INTERVAL = Duration.ofSeconds(15);
  private static final Duration START_LIMIT = Duration.ofMinutes(5);
  private static final Duration SETTLE_LIMIT = Duration.ofMinutes(6);
  private static final int VERIFIER_MEMORY_MB = 1024;
  private static final int COMMIT_INTERVAL_MS = 1_500;
  private static final int PARTITIONS = 2;

  /** So many failures of tasks a run may have, and one more for every two minutes. */
  private static final int FAILURES_AT_FIRST = 8;

  private final ChaosOptions options;
  private final PrintStream out;
  private final Path directory;
  private final boolean exactlyOnce;
  private final ChaosStack stack;
  private final ConnectorConfig source;
  private final ConnectorConfig sink;
  private final TaskFailures failures;
  private final Operator operator;
  private final FaultDraw draw;
  private final FaultRunner faults = new FaultRunner();
  private final Path root;
  private Maintenance maintenance;
  private long nextLookNanos;
  private long nextShowNanos;

  ChaosRun(ChaosOptions options, Path root, Path directory, PrintStream out) {
    this.options = options;
    this.out = out;
    this.root = root;
    this.directory = directory;
    // Both ways of the source have to stand it; the seed picks one.
    this.exactlyOnce = options.seed() % 2 != 0;
    this.stack = new ChaosStack(root, directory, options.seed(), exactlyOnce);
    Path examples = root.resolve("config-examples/local");
    this.source =
        ConnectorConfig.read(examples.resolve("source.json")).with(sourceOverrides(exactlyOnce));
    this.sink = ConnectorConfig.read(examples.resolve("sink-rest-s3.json")).with(sinkOverrides());
    this.failures = new TaskFailures(FAILURES_AT_FIRST + (int) (options.length().toMinutes() / 2));
    this.operator =
        new Operator(
            () -> stack.worker().rest(),
            List.of(source.name(), sink.name()),
            failures,
            this::formNewGroup);
    this.draw =
        new FaultDraw(
            KnownFaults.of(stack, source, sink, new Random(options.seed())), options.seed());
  }

  private static Map<String, String> sourceOverrides(boolean exactlyOnce) {
    return Map.of(
        "tula.partition.count", Integer.toString(PARTITIONS),
        "tasks.max", Integer.toString(PARTITIONS),
        "exactly.once.support", exactlyOnce ? "required" : "requested");
  }

  private static Map<String, String> sinkOverrides() {
    return Map.of(
        "tula.partition.count", Integer.toString(PARTITIONS),
        "tasks.max", Integer.toString(PARTITIONS),
        "tula.commit.interval.ms", Integer.toString(COMMIT_INTERVAL_MS));
  }

  /**
   * Runs.
   *
   * @throws StackException if the pipeline halts, fails again and again, or does not come to the
   *     ledger's end once all faults are healed
   */
  ChaosReport run() {
    out.printf(
        "seed %d, %d partitions, source %s, %.0f records a second%n",
        options.seed(), PARTITIONS, exactlyOnce ? "exactly once" : "at least once", options.rate());
    try (Pipeline pipeline = new Pipeline(stack, source, sink)) {
      pipeline.start();
      stack.engine().startLoad(Long.MAX_VALUE, options.rate());
      maintenance =
          new Maintenance(
              root,
              directory.resolve("tula-lake"),
              stack.environment(),
              source,
              sink,
              pipeline.watermarks(),
              options.length());
      awaitFirstRanges(pipeline);
      long quietMs = disturb(pipeline);
      settle(pipeline, quietMs);
      damageAndRepair(pipeline);
      AckCheck acks = pipeline.checkAcks();
      stack.stopWorkers();
      return new ChaosReport(
          options,
          exactlyOnce,
          faults.tallies(),
          maintenance.outcomes(),
          failures,
          stack.sourceTimes(),
          verify(pipeline),
          acks);
    }
  }

  private void formNewGroup() {
    Fault newGroup = KnownFaults.newGroup(stack);
    if (Collections.disjoint(newGroup.parts(), faults.busy())) {
      faults.start(newGroup, 0);
    }
  }

  /** A stack that has just started is left alone until every partition has a watermark. */
  private void awaitFirstRanges(Pipeline pipeline) {
    Wait.until(
        "every partition's first range",
        START_LIMIT,
        () -> {
          tick(pipeline);
          return pipeline.watermark().isAfter(Position.ORIGIN);
        });
  }

  /** Returns how long the healing took. */
  private long disturb(Pipeline pipeline) {
    long end = System.nanoTime() + options.length().toNanos();
    long nextFault = System.nanoTime();
    Iterator<Fault> commands =
        Stream.generate(maintenance::commands).flatMap(List::stream).iterator();
    while (System.nanoTime() < end) {
      if (!faults.busy().contains(Fault.Part.MAINTENANCE)) {
        start(commands.next());
      }
      if (System.nanoTime() >= nextFault) {
        Optional<Fault> fault = draw.next(faults.busy());
        fault.ifPresent(this::start);
        nextFault = System.nanoTime() + draw.pauseMs() * 1_000_000;
      }
      tick(pipeline);
    }
    long began = System.nanoTime();
    stack.engine().pauseLoad();
    maintenance.end();
    faults.healAll();
    return (System.nanoTime() - began) / 1_000_000;
  }

  private void start(Fault fault) {
    long ms = draw.durationMs(fault);
    out.printf(Locale.ROOT, "  %s%s%n", fault.name(), ms == 0 ? "" : ", " + ms + " ms");
    faults.start(fault, ms);
  }

  /** With everything else in peace, and the sink live. */
  private void damageAndRepair(Pipeline pipeline) {
    long began = System.nanoTime();
    new ForeignDamage(
            root,
            directory.resolve("tula-lake"),
            stack,
            pipeline,
            maintenance,
            this::formNewGroup,
            out)
        .run();
    settle(pipeline, (System.nanoTime() - began) / 1_000_000);
  }

  private void settle(Pipeline pipeline, long healMs) {
    out.printf(
        Locale.ROOT,
        "all is well again after %d ms; %,d records, the lake has to reach batch %,d%n",
        healMs,
        stack.engine().rows(),
        stack.engine().head().globalBatchSeq());
    Wait.until(
        "the lake to be complete and the ledger to know it",
        SETTLE_LIMIT,
        () -> {
          tick(pipeline);
          return pipeline.complete() && pipeline.ackedThroughWatermark();
        });
  }

  private void tick(Pipeline pipeline) {
    pipeline.checkpoints().poll();
    maintenance.cold(pipeline.watermark().globalBatchSeq());
    long now = System.nanoTime();
    if (now >= nextLookNanos) {
      nextLookNanos = now + LOOK_INTERVAL.toNanos();
      operator.look();
      stack
          .engine()
          .loadFailure()
          .ifPresent(
              e -> {
                throw new StackException("the ledger's load failed", e);
              });
      faults
          .failure()
          .ifPresent(
              e -> {
                throw new StackException(e.getMessage(), e);
              });
    }
    if (now >= nextShowNanos) {
      nextShowNanos = now + SHOW_INTERVAL.toNanos();
      out.printf(
          Locale.ROOT,
          "engine %,d records, head %,d, watermark %,d%n",
          stack.engine().rows(),
          stack.engine().head().globalBatchSeq(),
          pipeline.watermark().globalBatchSeq());
    }
    pause();
  }

  private static void pause() {
    try {
      Thread.sleep(TICK.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StackException("interrupted", e);
    }
  }

  private LakeVerdict verify(Pipeline pipeline) {
    try (LakeVerifier verifier =
        LakeVerifier.open(directory.resolve("verify"), VERIFIER_MEMORY_MB)) {
      return pipeline.verify(verifier);
    }
  }

  @Override
  public void close() {
    faults.close();
    stack.close();
  }
}
