package dev.tula.connect.local;

import dev.tula.connect.local.LakeShape.Layout;
import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.refnode.history.RecordForm;
import dev.tula.connect.refnode.truth.TruthReader;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * The two connectors on a local stack: starts them, watches how far they are, and holds the result
 * against the engine. For one thread.
 */
public final class Pipeline implements AutoCloseable {

  private final PipelineHost stack;
  private final ConnectorConfig source;
  private final ConnectorConfig sink;
  private final LakeShape shape;
  private final CheckpointsTopic checkpoints;
  private final PipelineMetrics metrics = new PipelineMetrics();
  private final WatermarkHistory watermarks;

  /**
   * @param stack what it runs on
   * @param source the source connector's configuration, as it is PUT
   * @param sink the sink connector's configuration, as it is PUT
   */
  public Pipeline(PipelineHost stack, ConnectorConfig source, ConnectorConfig sink) {
    this.stack = stack;
    this.source = source;
    this.sink = sink;
    this.shape = shape(sink);
    this.checkpoints = new CheckpointsTopic(stack.bootstrapServers(), checkpointsTopic(sink));
    this.watermarks = new WatermarkHistory(stack.lake(), shape);
  }

  private static LakeShape shape(ConnectorConfig sink) {
    String layout = sink.value("tula.layout");
    return new LakeShape(
        Stream.of(Layout.values())
            .filter(known -> known.toString().equals(layout))
            .findFirst()
            .orElseThrow(() -> new StackException("layout " + layout + " is not known")),
        Integer.parseInt(sink.value("tula.partition.count")),
        Boolean.parseBoolean(sink.value("tula.include.metadata")),
        Boolean.parseBoolean(sink.value("tula.full.txn.record")),
        generation(sink));
  }

  private static int generation(ConnectorConfig connector) {
    return Integer.parseInt(connector.values().getOrDefault("tula.generation", "1"));
  }

  private static String checkpointsTopic(ConnectorConfig sink) {
    String first = sink.value("tula.pipeline") + ".checkpoints";
    return generation(sink) == 1 ? first : first + ".g" + generation(sink);
  }

  /** Creates both connectors, or gives them these configurations. */
  public void start() {
    stack.worker().rest().putConfig(source.name(), source.values());
    stack.worker().rest().putConfig(sink.name(), sink.values());
  }

  /** Takes in what the connectors have done since the last call. */
  public void poll() {
    checkpoints.poll();
    metrics.read(stack.worker().process().pid());
  }

  /** Kills the worker and starts it again. */
  public void killWorker() {
    metrics.read(stack.worker().process().pid());
    metrics.workerGone();
    stack.worker().kill();
    stack.worker().startAgain();
  }

  /** Stops the worker in order, and with it both connectors. */
  public void stopWorker() {
    metrics.workerGone();
    stack.worker().close();
  }

  /** The shape of its lake. */
  public LakeShape shape() {
    return shape;
  }

  /** What the connectors' MBeans say. */
  PipelineMetrics metrics() {
    return metrics;
  }

  /** The checkpoints that the sink has published. */
  public CheckpointsTopic checkpoints() {
    return checkpoints;
  }

  /** The source connector's name. */
  public String sourceName() {
    return source.name();
  }

  /** The sink connector's name. */
  public String sinkName() {
    return sink.name();
  }

  /** Whether every export partition's watermark is at its end of the ledger. */
  public boolean complete() {
    for (int partition = 0; partition < shape.partitionCount(); partition++) {
      long last = lastBatch(partition);
      Optional<Position> watermark = checkpoints.watermark(partition);
      if (watermark.isEmpty() || watermark.get().compareTo(Position.batchEnd(last)) < 0) {
        return false;
      }
    }
    return true;
  }

  /**
   * Waits until it is complete.
   *
   * @throws StackException with the trace of a connector or task that fails, or after the limit
   */
  void awaitComplete(Duration limit) {
    Wait.until(
        "the lake to be complete",
        limit,
        () -> {
          failure()
              .ifPresent(
                  failure -> {
                    throw new StackException(failure);
                  });
          checkpoints.poll();
          return complete();
        });
  }

  /** The ledger's last batch that belongs to an export partition; 0 if none does. */
  private long lastBatch(int partition) {
    long head = stack.engine().head().globalBatchSeq();
    long back = Math.floorMod(head - partition, (long) shape.partitionCount());
    return Math.max(0, head - back);
  }

  /** The lowest watermark of all export partitions; the origin where one has none yet. */
  public Position watermark() {
    Position lowest = Position.batchEnd(Long.MAX_VALUE);
    for (int partition = 0; partition < shape.partitionCount(); partition++) {
      lowest = Position.min(lowest, checkpoints.watermark(partition).orElse(Position.ORIGIN));
    }
    return lowest;
  }

  /** How much of the ledger is in the lake by its batches, 0 to 1. */
  public double fraction() {
    long head = stack.engine().head().globalBatchSeq();
    return complete()
        ? 1
        : head == 0 ? 0 : Math.min(1.0, (double) watermark().globalBatchSeq() / head);
  }

  /** The trace of a connector or task that failed, if one did. */
  public Optional<String> failure() {
    for (String connector : List.of(source.name(), sink.name())) {
      Optional<String> failure =
          stack.worker().rest().status(connector).flatMap(ConnectorStatus::failure);
      if (failure.isPresent()) {
        return failure.map(trace -> "connector " + connector + " failed:\n" + trace);
      }
    }
    return Optional.empty();
  }

  /** Whether the engine has been told of every watermark. */
  public boolean ackedThroughWatermark() {
    List<Ack> acks = Ack.readLog(stack.ackLog());
    for (int partition = 0; partition < shape.partitionCount(); partition++) {
      int own = partition;
      Position watermark = checkpoints.watermark(partition).orElse(Position.ORIGIN);
      if (acks.stream()
          .noneMatch(ack -> ack.partition() == own && ack.through().compareTo(watermark) >= 0)) {
        return false;
      }
    }
    return true;
  }

  /** What the watermark tables have shown; whoever expires their snapshots has it read first. */
  public WatermarkHistory watermarks() {
    return watermarks;
  }

  /** Holds every ack of the run against the watermarks that had been published by then. */
  public AckCheck checkAcks() {
    checkpoints.poll();
    watermarks.read();
    return AckCheck.of(
        Ack.readLog(stack.ackLog()), checkpoints.checkpoints(), watermarks.snapshots());
  }

  /** Holds every row of the lake against the engine's records. */
  public LakeVerdict verify(LakeVerifier verifier) {
    return verifyThrough(verifier, Long.MAX_VALUE);
  }

  /** Holds every row of a lake that ends with a batch against the engine's records up to there. */
  LakeVerdict verifyThrough(LakeVerifier verifier, long batch) {
    RecordForm form = new RecordForm(shape.includeMetadata(), shape.fullRecord());
    try (TruthReader truth = stack.engine().truth(form)) {
      verifier.loadTruth(new Records(truth, batch));
    }
    return verifier.verify(stack.lake(), shape);
  }

  /**
   * Holds every row of a lake that was bootstrapped against the engine's records: the state as of
   * the end of a batch, and what follows it.
   */
  public LakeVerdict verifyBootstrapped(LakeVerifier verifier, long batch) {
    RecordForm form = new RecordForm(shape.includeMetadata(), shape.fullRecord());
    SeededTruth seeded = new SeededTruth(batch);
    try (TruthReader truth = stack.engine().truth(form)) {
      Records records = new Records(truth, Long.MAX_VALUE);
      Optional<ByteBuffer> firstAfter = Optional.empty();
      while (firstAfter.isEmpty() && records.hasNext()) {
        ByteBuffer next = records.next();
        firstAfter = seeded.take(next) ? Optional.empty() : Optional.of(next);
      }
      verifier.loadTruth(
          Stream.of(seeded.rows().iterator(), firstAfter.stream().iterator(), records)
              .flatMap(
                  part -> StreamSupport.stream(Spliterators.spliteratorUnknownSize(part, 0), false))
              .iterator());
    }
    return verifier.verify(stack.lake(), shape);
  }

  /** The engine's records as bytes, to a last batch; each is valid until the next is asked for. */
  private static final class Records implements Iterator<ByteBuffer> {
    private final TruthReader truth;
    private final long lastBatch;
    private boolean ready;

    Records(TruthReader truth, long lastBatch) {
      this.truth = truth;
      this.lastBatch = lastBatch;
    }

    @Override
    public boolean hasNext() {
      ready = ready || truth.next() && truth.position().globalBatchSeq() <= lastBatch;
      return ready;
    }

    @Override
    public ByteBuffer next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      ready = false;
      CanonicalRow row = truth.row();
      return ByteBuffer.wrap(row.array(), row.offset(), row.length());
    }
  }

  @Override
  public void close() {
    metrics.close();
    checkpoints.close();
  }
}
