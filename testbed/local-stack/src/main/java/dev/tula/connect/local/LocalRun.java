package dev.tula.connect.local;

import dev.tula.connect.model.Position;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * One run of the local stack, from the first process to the report. For one thread; {@link #close}
 * may come from another.
 */
final class LocalRun implements AutoCloseable {
  private static final double LIVE_ROWS_PER_SECOND = 2_000;
  private static final long NEVER_FLUSHED_MS = 86_400_000;
  private static final int MAX_KILL_DELAY_MS = 1_500;
  private static final int VERIFIER_MEMORY_MB = 2048;
  private static final Duration TICK = Duration.ofMillis(100);
  private static final Duration STALL_LIMIT = Duration.ofSeconds(180);
  private static final Duration ACK_LIMIT = Duration.ofMinutes(3);
  private static final long HEALTH_INTERVAL_NANOS = 2_000_000_000L;

  private final RunOptions options;
  private final Path root;
  private final RunDirectory directory;
  private final PrintStream out;
  private final Progress progress;
  private final KillPlan kills;
  private final Random killDelays;
  private final LocalStack stack;
  private final Map<String, Duration> stages = new LinkedHashMap<>();
  private CatalogOutage outage;
  private List<String> lastMetrics = List.of();
  private long bootstrapBatch;

  LocalRun(RunOptions options, Path root, RunDirectory directory, PrintStream out, boolean live) {
    this.options = options;
    this.root = root;
    this.directory = directory;
    this.out = out;
    this.progress = new Progress(out, live);
    this.kills = new KillPlan(options.killWorker);
    this.killDelays = new Random(options.seed);
    this.stack = LocalStack.prepare(stackOptions());
  }

  private StackOptions stackOptions() {
    return new StackOptions(
        root,
        directory.path(),
        options.seed,
        rowsBeforeStart(),
        Optional.ofNullable(options.replay),
        !options.noExactlyOnceSource,
        options.killWorker > 0,
        rowsComeAgain() ? NEVER_FLUSHED_MS : StackOptions.DEFAULT_OFFSET_FLUSH_INTERVAL_MS,
        options.catalog,
        Optional.empty(),
        options.workerHeapMb);
  }

  /** Offsets are not written then, so that each worker sends everything anew. */
  private boolean rowsComeAgain() {
    return options.noExactlyOnceSource && options.killWorker > 0;
  }

  private long rowsBeforeStart() {
    if (!options.bounded() || options.rate != null && !options.bootstrap) {
      return 0;
    }
    long rows = options.rows == null ? Long.MAX_VALUE : options.rows;
    return options.rate == null ? rows : rows / 2;
  }

  /**
   * Runs.
   *
   * @return whether everything that was asked for holds
   */
  boolean run() {
    timed("ledger made", stack::startEngine);
    if (options.bootstrap) {
      bootstrapBatch = reclaimFirstHalf();
    }
    timed("broker and worker up", stack::startKafka);
    ConnectorConfig source =
        ConnectorConfig.read(root.resolve("config-examples/local/source.json"))
            .with(options.sourceOverrides());
    ConnectorConfig sink =
        ConnectorConfig.read(
                root.resolve("config-examples/local").resolve(options.catalog.sinkFile()))
            .with(options.sinkOverrides());
    try (Pipeline pipeline = new Pipeline(stack, source, sink)) {
      Path resolvedSink = stack.directory().resolve("sink.json");
      source.resolved(stack.environment()).write(stack.directory().resolve("source.json"));
      sink.resolved(stack.environment()).write(resolvedSink);
      Announcement.print(out, stack, pipeline, resolvedSink);
      try {
        return drive(pipeline);
      } finally {
        lastMetrics = pipeline.metrics().describe();
      }
    }
  }

  private long reclaimFirstHalf() {
    long batch = stack.engine().head().globalBatchSeq() / 2;
    stack.engine().cluster().advanceFloor(Position.batchEnd(batch));
    return batch;
  }

  private boolean drive(Pipeline pipeline) {
    long startedNanos = System.nanoTime();
    pipeline.start();
    startLoad();
    if (!options.bounded()) {
      follow(pipeline, false);
      return true;
    }
    follow(pipeline, true);
    Duration elapsed = Duration.ofNanos(System.nanoTime() - startedNanos);
    stages.put("ledger to lake", elapsed);
    RunReport report = conclude(pipeline, elapsed);
    report.print(out);
    report.write(stack.directory().resolve("report.json"));
    if (!options.exit) {
      out.println("Everything keeps running; Ctrl-C stops it.");
      follow(pipeline, false);
    }
    return report.good();
  }

  private void startLoad() {
    long target = options.rows == null ? Long.MAX_VALUE : options.rows;
    if (!options.bounded()) {
      stack.engine().startLoad(target, options.rate == null ? LIVE_ROWS_PER_SECOND : options.rate);
    } else if (options.rate != null) {
      stack.engine().startLoad(target, options.rate);
    }
  }

  /** Watches until the lake is complete, or without an end. */
  private void follow(Pipeline pipeline, boolean toTheEnd) {
    long healthNanos = System.nanoTime();
    StallWatch stall = new StallWatch(STALL_LIMIT);
    FailureWatch failures = new FailureWatch(toTheEnd, progress::say);
    outage =
        new CatalogOutage(
            stack.lakeHost(),
            toTheEnd ? Duration.ofSeconds(options.catalogDownSeconds) : Duration.ZERO);
    while (!(toTheEnd && ended(pipeline))) {
      pipeline.poll();
      Progress.State state = state(pipeline);
      progress.show(state);
      if (kills.due(state.fraction(), pipeline.metrics().running())) {
        kill(pipeline, state);
        stall.moved();
      }
      if (outage.step(pipeline.metrics().lakeRows())) {
        progress.say(outage.isUnderWay() ? "the catalog is down" : "the catalog is up again");
        stall.moved();
      }
      if (System.nanoTime() - healthNanos > HEALTH_INTERVAL_NANOS) {
        healthNanos = System.nanoTime();
        if (!outage.isUnderWay()) {
          stack.checkAlive();
        }
        failures.looked(pipeline.failure());
        if (toTheEnd) {
          stall.check(state);
        }
      }
      Wait.pause(TICK);
    }
    progress.finish(state(pipeline));
  }

  private boolean ended(Pipeline pipeline) {
    return !stack.engine().isLoading()
        && kills.complete()
        && outage.isOver()
        && pipeline.complete()
        && (!rowsComeAgain() || haveComeAgain(pipeline));
  }

  /**
   * The lake may be complete before the sink has read on to what was sent again, and what it makes
   * of that is what such a run is for.
   */
  private static boolean haveComeAgain(Pipeline pipeline) {
    return pipeline.metrics().replayedRows() > 0;
  }

  private void kill(Pipeline pipeline, Progress.State state) {
    progress.say(
        String.format(
            Locale.ROOT,
            "kill %d of %d: SIGKILL to the worker with %.0f %% in the lake",
            kills.done() + 1,
            options.killWorker,
            100 * state.fraction()));
    // A kill is due just after a commit; a little later it may come in the middle of anything.
    Wait.pause(Duration.ofMillis(killDelays.nextInt(MAX_KILL_DELAY_MS)));
    pipeline.killWorker();
    kills.killed();
  }

  private Progress.State state(Pipeline pipeline) {
    Position watermark = pipeline.watermark();
    PipelineMetrics metrics = pipeline.metrics();
    return new Progress.State(
        stack.engine().rows(),
        metrics.sentRows(),
        metrics.lakeRows(),
        stack.engine().head().globalBatchSeq(),
        watermark.globalBatchSeq(),
        metrics.ackedBatch(),
        metrics.replayedRows(),
        kills.done(),
        pipeline.fraction());
  }

  private RunReport conclude(Pipeline pipeline, Duration elapsed) {
    timed(
        "last ack",
        () ->
            Wait.until(
                "the engine to be acked through the watermark",
                ACK_LIMIT,
                pipeline::ackedThroughWatermark));
    pipeline.poll();
    AckCheck acks = pipeline.checkAcks();
    PipelineMetrics metrics = pipeline.metrics();
    stack.worker().checkMemorySufficed();
    Optional<LakeVerdict> verdict = Optional.empty();
    if (options.verify) {
      if (options.exit) {
        pipeline.stopWorker();
      }
      verdict = Optional.of(verify(pipeline));
    }
    return new RunReport(
        stages,
        elapsed,
        metrics.lakeRows(),
        metrics.replayedRows(),
        kills.done(),
        metrics.memory(),
        verdict,
        acks);
  }

  private LakeVerdict verify(Pipeline pipeline) {
    LakeVerdict[] verdict = new LakeVerdict[1];
    try (LakeVerifier verifier =
        LakeVerifier.open(stack.directory().resolve("verify"), VERIFIER_MEMORY_MB)) {
      timed(
          "every row compared",
          () ->
              verdict[0] =
                  options.bootstrap
                      ? pipeline.verifyBootstrapped(verifier, bootstrapBatch)
                      : pipeline.verify(verifier));
    }
    return verdict[0];
  }

  private void timed(String stage, Runnable work) {
    long startedNanos = System.nanoTime();
    work.run();
    stages.put(stage, Duration.ofNanos(System.nanoTime() - startedNanos));
  }

  /** What there is to look at when something failed: the connectors' metrics, the logs' ends. */
  List<String> evidence(int logLines) {
    List<String> lines = new ArrayList<>(stack.lastLogLines(logLines));
    lines.addAll(lastMetrics);
    return lines;
  }

  @Override
  public void close() {
    stack.close();
    directory.discard();
  }
}
