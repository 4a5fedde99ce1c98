package dev.tula.connect.lake;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.model.RowSchema;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.sink.engine.CommitEngine;
import dev.tula.connect.sink.engine.Effect;
import dev.tula.connect.sink.engine.EffectRunner;
import dev.tula.connect.sink.engine.EngineSettings;
import dev.tula.connect.sink.engine.EventLog;
import dev.tula.connect.sink.engine.EventsView;
import dev.tula.connect.sink.engine.Finding;
import dev.tula.connect.sink.engine.HaltReason;
import dev.tula.connect.sink.engine.KafkaPosition;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.LogicalTable;
import dev.tula.connect.sink.engine.Outcome;
import dev.tula.connect.sink.engine.SealedRange;
import dev.tula.connect.sink.engine.SealedTable;
import dev.tula.connect.sink.engine.Stop;
import dev.tula.connect.sink.engine.TableRows;
import java.math.BigInteger;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** The sink's engine on one partition, driven step by step on a real lake and real topics. */
final class TestWriter {
  private static final int MAX_TRIES = 10;

  private final TestPipeline pipeline;
  private final int partition;
  private final String writerId = UUID.randomUUID().toString();
  private final CommitEngine engine;
  private final EffectRunner runner;
  private Map<String, TableRows> rows = Map.of();
  private Predicate<Effect> crash = effect -> false;
  private UnaryOperator<List<LakeEvent>> filter = UnaryOperator.identity();

  /** Event topics to which something else is published than the engine wants. */
  private final class Filtered implements EventLog {
    private final EventLog topics;

    Filtered(EventLog topics) {
      this.topics = topics;
    }

    @Override
    public EventsView read() {
      return topics.read();
    }

    @Override
    public void publish(List<LakeEvent> events) {
      List<LakeEvent> wanted = filter.apply(events);
      if (!wanted.isEmpty()) {
        topics.publish(wanted);
      }
    }
  }

  TestWriter(TestPipeline pipeline, int partition) {
    this.pipeline = pipeline;
    this.partition = partition;
    this.runner =
        new EffectRunner(
            pipeline.identity(),
            partition,
            pipeline.newLake(partition),
            new Filtered(pipeline.newLog(partition)));
    this.engine =
        new CommitEngine(
            new EngineSettings(pipeline.identity(), partition, writerId, OptionalLong.empty(), 20),
            InstantSource.system());
  }

  /** Stops, as if the process had died, before the first effect of this kind. */
  TestWriter crashingBefore(Predicate<Effect> effect) {
    crash = effect;
    return this;
  }

  /** Publishes something else than the engine wants. */
  TestWriter publishing(UnaryOperator<List<LakeEvent>> instead) {
    filter = instead;
    return this;
  }

  Optional<Stop> stopped() {
    return engine.stopped();
  }

  String id() {
    return writerId;
  }

  Position watermark() {
    return engine.writer().orElseThrow().position().orElseThrow();
  }

  /** Runs until the engine wants nothing more, or crashes. */
  void run() {
    while (!engine.effects().isEmpty()) {
      Effect effect = engine.effects().iterator().next();
      if (crash.test(effect)) {
        return;
      }
      engine.complete(effect, carryOut(effect));
    }
  }

  /**
   * As the sink does: a snapshot that a cleanup expires between its being read and the commit that
   * builds upon it is a failure that passes.
   */
  private Outcome carryOut(Effect effect) {
    for (int tries = 1; ; tries++) {
      try {
        return runner.run(effect, rows);
      } catch (LakeException e) {
        if (!e.isRetriable() || tries == MAX_TRIES) {
          throw e;
        }
      }
    }
  }

  /** Commits W₀. */
  TestWriter start() {
    return start(Position.ORIGIN);
  }

  /** Commits W₀ of a stream that begins elsewhere. */
  TestWriter start(Position from) {
    engine.start(
        new StreamItem.Start(from, TestRows.EPOCH_MICROS, pipeline.identity().stream(partition)),
        kafka(0));
    run();
    return this;
  }

  /** Commits W₀ of a bootstrap as of a batch, and its rows as a range. */
  TestWriter bootstrap(long batch) {
    return start(Position.beforeSeeded(batch)).commit(TestRows.state(batch), batch);
  }

  /** Commits the partition's batches up to one as a range. */
  TestWriter commitTo(long lastBatch) {
    long first = watermark().globalBatchSeq() + 1;
    List<CanonicalRow> batch = new ArrayList<>();
    for (long gbs = first; gbs <= lastBatch; gbs++) {
      if (gbs % pipeline.identity().partitionCount() == partition) {
        batch.addAll(TestRows.batch(gbs));
      }
    }
    return commit(batch, lastBatch);
  }

  private TestWriter commit(List<CanonicalRow> batch, long lastBatch) {
    rows = route(batch);
    Map<String, SealedTable> sealed = new TreeMap<>();
    rows.forEach(
        (table, of) -> sealed.put(table, new SealedTable(table, of.rows(), amountSum(table, of))));
    engine.commit(
        new SealedRange(
            Position.batchEnd(lastBatch),
            TestRows.EPOCH_MICROS + lastBatch * 1_000,
            engine.writer().orElseThrow().watermarkState().rowsDecoded() + batch.size(),
            kafka(lastBatch),
            sealed));
    run();
    return this;
  }

  private Optional<BigInteger> amountSum(String table, TableRows of) {
    return logical(table).hasAmounts() ? Optional.of(of.amountSum()) : Optional.empty();
  }

  private LogicalTable logical(String name) {
    return pipeline.identity().tables().stream()
        .filter(table -> table.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private Map<String, TableRows> route(List<CanonicalRow> all) {
    Map<String, TableRows> routed = new TreeMap<>();
    RowReader reader = new RowReader();
    for (CanonicalRow row : all) {
      reader.wrap(row);
      int index = pipeline.identity().layout().route(row, reader);
      LogicalTable table = pipeline.identity().tables().get(index);
      TableRows of = routed.computeIfAbsent(table.name(), name -> new TableRows());
      if (table.hasAmounts()) {
        of.add(
            row,
            reader.amountHigh(RowSchema.AMOUNT_FIELD),
            reader.amountLow(RowSchema.AMOUNT_FIELD));
      } else {
        of.add(row);
      }
    }
    return routed;
  }

  /** The reader of the stream finds a disagreement. */
  TestWriter halt(HaltReason reason, String what) {
    engine.halt(new Finding(reason, what));
    run();
    return this;
  }

  private KafkaPosition kafka(long offset) {
    return new KafkaPosition(pipeline.name + ".data", partition, offset);
  }
}
