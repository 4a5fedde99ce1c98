package dev.tula.connect.lake.doctor;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.RecordKind;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.model.RowSchema;
import dev.tula.connect.model.RowWriter;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.sink.engine.CommitEngine;
import dev.tula.connect.sink.engine.Effect;
import dev.tula.connect.sink.engine.EffectRunner;
import dev.tula.connect.sink.engine.EngineSettings;
import dev.tula.connect.sink.engine.EventLog;
import dev.tula.connect.sink.engine.EventsView;
import dev.tula.connect.sink.engine.KafkaPosition;
import dev.tula.connect.sink.engine.Lake;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.engine.SealedRange;
import dev.tula.connect.sink.engine.SealedTable;
import dev.tula.connect.sink.engine.Stop;
import dev.tula.connect.sink.engine.TableRows;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * The sink's own engine on a lake of one partition, with a row of its own making in each range, for
 * the layout's first table. Events go nowhere. For one thread.
 */
final class TrialWriter {
  private static final long EPOCH_MICROS = 1_700_000_000_000_000L;
  private static final int MAX_ATTEMPTS = 3;

  /** A range takes some ten effects, and each may be repeated. */
  private static final int MAX_EFFECTS = 100;

  private final PipelineIdentity identity;
  private final String table;
  private final EffectRunner runner;
  private final CommitEngine engine;
  private TableRows rows = new TableRows();
  private long rowsDecoded;

  /** Nobody is told of a trial. */
  private static final class NoEvents implements EventLog {
    @Override
    public EventsView read() {
      return EventsView.EMPTY;
    }

    @Override
    public void publish(List<LakeEvent> events) {}
  }

  /**
   * @param identity of one partition
   * @param lake its tables
   */
  TrialWriter(PipelineIdentity identity, Lake lake) {
    this.identity = identity;
    this.table = identity.tables().get(0).name();
    this.runner = new EffectRunner(identity, 0, lake, new NoEvents());
    this.engine =
        new CommitEngine(
            new EngineSettings(
                identity, 0, UUID.randomUUID().toString(), OptionalLong.empty(), MAX_ATTEMPTS),
            InstantSource.system());
  }

  /**
   * Creates and claims the tables, and publishes the first watermark.
   *
   * @throws LakeException saying what did not work
   */
  void open() {
    run();
    engine.start(new StreamItem.Start(Position.ORIGIN, EPOCH_MICROS, identity.stream(0)), kafka(0));
    run();
  }

  /**
   * Claims the tables from the writer that has them.
   *
   * @throws LakeException saying what did not work
   */
  void takeOver() {
    run();
  }

  /**
   * Commits a range of one batch with one row.
   *
   * @param batch from 1, without a gap
   * @return the row
   * @throws LakeException saying what did not work
   */
  CanonicalRow commit(long batch) {
    CanonicalRow row = row(batch);
    RowReader reader = new RowReader();
    reader.wrap(row);
    rows = new TableRows();
    rows.add(
        row, reader.amountHigh(RowSchema.AMOUNT_FIELD), reader.amountLow(RowSchema.AMOUNT_FIELD));
    rowsDecoded++;
    commit(batch, Map.of(table, new SealedTable(table, 1, Optional.of(rows.amountSum()))));
    return row;
  }

  /**
   * Commits a range of one batch without rows, which moves the watermark alone and stages no file.
   *
   * @param batch from 1, without a gap
   * @throws LakeException saying what did not work
   */
  void commitEmpty(long batch) {
    commit(batch, Map.of());
  }

  private void commit(long batch, Map<String, SealedTable> tables) {
    engine.commit(
        new SealedRange(
            Position.batchEnd(batch), EPOCH_MICROS + batch, rowsDecoded, kafka(batch), tables));
    run();
  }

  /** The logical name of the table that gets the rows. */
  String table() {
    return table;
  }

  /** Whether a newer writer has claimed the tables (I5). */
  boolean isFenced() {
    return engine.stopped().filter(stop -> stop.code() == Stop.Code.FENCED).isPresent();
  }

  private void run() {
    for (int i = 0; i < MAX_EFFECTS && !engine.effects().isEmpty(); i++) {
      Effect effect = engine.effects().iterator().next();
      engine.complete(effect, runner.run(effect, Map.of(table, rows)));
    }
    engine
        .stopped()
        .ifPresent(
            stop -> {
              throw LakeException.lasting(stop.message(), null);
            });
    if (!engine.effects().isEmpty()) {
      throw LakeException.lasting("the engine did not come to an end", null);
    }
  }

  private static CanonicalRow row(long batch) {
    return new RowWriter()
        .begin(RecordKind.TRANSACTION)
        .putLong(batch)
        .putLong(batch)
        .putInt(0)
        .putTimestamp(EPOCH_MICROS)
        .putTimestamp(EPOCH_MICROS)
        .putId(batch, 0)
        .putId(~batch, 0)
        .putInt(1)
        .putInt(1)
        .putString("EUR")
        .putId(1, batch)
        .putId(2, batch)
        .putAmount(batch)
        .putString("single_phase")
        .putString("default")
        .putString("posted")
        .absentToEnd()
        .toRow();
  }

  private static KafkaPosition kafka(long offset) {
    return new KafkaPosition("tula-doctor", 0, offset);
  }
}
