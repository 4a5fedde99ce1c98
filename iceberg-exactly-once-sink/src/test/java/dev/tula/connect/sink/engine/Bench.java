package dev.tula.connect.sink.engine;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.RecordKind;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.model.RowSchema;
import dev.tula.connect.model.RowWriter;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.sink.engine.sim.SimLake;
import dev.tula.connect.sink.engine.sim.SimLog;
import dev.tula.connect.sink.engine.sim.SimTable;
import java.math.BigInteger;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * A lake of two transaction tables, its event topics, and engines that a test drives by hand.
 * Nothing fails here unless the test says so.
 */
final class Bench {
  static final String DEFAULT = "transactions_default";
  static final String TIERED = "transactions_position_settlement";
  static final String WATERMARK = TableNames.WATERMARK;
  static final String TOPIC = "ledger";
  static final int MAX_ATTEMPTS = 5;

  static final PipelineIdentity IDENTITY =
      new PipelineIdentity(
          "cluster", "pipeline", 1, 1, Layout.BY_MODE, false, false, 28, PipelineIdentity.FORMAT);
  static final StreamIdentity STREAM = IDENTITY.stream(0);

  private static final InstantSource CLOCK = InstantSource.fixed(Instant.EPOCH);

  final SimLake lake = new SimLake(SimLake.Contents.EMPTY, (commit, before, after) -> {});
  final SimLog log = new SimLog(EventIdentity.of(STREAM), event -> {});
  private final EffectRunner runner = new EffectRunner(IDENTITY, 0, lake, log);
  private final Map<CommitEngine, Map<String, TableRows>> committing = new HashMap<>();

  /** An engine of a new writer. */
  CommitEngine engine(String writerId) {
    return engine(writerId, IDENTITY, OptionalLong.empty());
  }

  CommitEngine engine(String writerId, PipelineIdentity identity, OptionalLong fixedEpoch) {
    return new CommitEngine(
        new EngineSettings(identity, 0, writerId, fixedEpoch, MAX_ATTEMPTS), CLOCK);
  }

  /** A writer that runs until it waits for a range, or has ended. */
  CommitEngine open(String writerId) {
    return run(engine(writerId));
  }

  /** A writer of a generation that begins at the origin. */
  CommitEngine started(String writerId) {
    CommitEngine engine = open(writerId);
    engine.start(new StreamItem.Start(Position.ORIGIN, 100, STREAM), kafka(1));
    return run(engine);
  }

  static KafkaPosition kafka(long offset) {
    return new KafkaPosition(TOPIC, 0, offset);
  }

  /** Carries out whatever the engine wants until it wants nothing more. */
  CommitEngine run(CommitEngine engine) {
    return runWhile(engine, wanted -> true);
  }

  /** Carries out what the engine wants, one at a time, as long as that is one of those. */
  CommitEngine runWhile(CommitEngine engine, Predicate<Effect> carriedOut) {
    Optional<Effect> next = first(engine, carriedOut);
    while (next.isPresent()) {
      engine.complete(next.get(), perform(engine, next.get()));
      next = first(engine, carriedOut);
    }
    return engine;
  }

  private static Optional<Effect> first(CommitEngine engine, Predicate<Effect> wanted) {
    return engine.effects().stream().filter(wanted).findFirst();
  }

  /** Carries out what the engine wants until it is in a phase. */
  CommitEngine runTo(CommitEngine engine, Class<? extends Phase> phase) {
    while (!phase.isInstance(engine.phase())) {
      Effect next = engine.effects().iterator().next();
      engine.complete(next, perform(engine, next));
    }
    return engine;
  }

  /** The effect of a kind that the engine wants. */
  static <E extends Effect> E wanted(CommitEngine engine, Class<E> kind) {
    return engine.effects().stream()
        .filter(kind::isInstance)
        .map(kind::cast)
        .findFirst()
        .orElseThrow();
  }

  static boolean isCommitTo(String table, Effect effect) {
    return effect instanceof Effect.Commit commit && commit.commit().table().equals(table);
  }

  /** The commit to a table that the engine wants. */
  static Effect.Commit commitOf(CommitEngine engine, String table) {
    return engine.effects().stream()
        .filter(effect -> isCommitTo(table, effect))
        .map(Effect.Commit.class::cast)
        .findFirst()
        .orElseThrow();
  }

  /** Tells the engine that nobody knows of a commit. */
  static void loseReply(CommitEngine engine, Effect.Commit commit) {
    engine.complete(commit, new Outcome.Committed(new Lake.CommitReply.Unknown("lost")));
  }

  /** Tells the engine that a commit was refused. */
  static void refuse(CommitEngine engine, Effect.Commit commit, Optional<TableView> now) {
    engine.complete(commit, new Outcome.Committed(new Lake.CommitReply.Refused(now)));
  }

  Outcome perform(CommitEngine engine, Effect effect) {
    return runner.run(effect, committing.getOrDefault(engine, Map.of()));
  }

  /** Begins to commit a range with these rows. */
  CommitEngine begin(CommitEngine engine, Position to, CanonicalRow... rows) {
    Map<String, TableRows> tables = new TreeMap<>();
    Map<String, SealedTable> sealed = new TreeMap<>();
    RowReaderSum sums = new RowReaderSum();
    for (CanonicalRow row : rows) {
      tables
          .computeIfAbsent(sums.tableOf(row), unused -> new TableRows())
          .add(row, 0, sums.amount());
    }
    tables.forEach(
        (table, tableRows) ->
            sealed.put(
                table,
                new SealedTable(table, tableRows.rows(), Optional.of(tableRows.amountSum()))));
    committing.put(engine, tables);
    long decoded = engine.writer().orElseThrow().watermarkState().rowsDecoded() + rows.length;
    engine.commit(
        new SealedRange(to, to.globalBatchSeq() * 1000 + 100, decoded, kafka(decoded + 1), sealed));
    return engine;
  }

  /** Commits a range with these rows, as far as it goes. */
  CommitEngine commit(CommitEngine engine, Position to, CanonicalRow... rows) {
    return run(begin(engine, to, rows));
  }

  /** Routes and sums rows of this bench. */
  private static final class RowReaderSum {
    private final RowReader reader = new RowReader();

    String tableOf(CanonicalRow row) {
      return IDENTITY.tables().get(Layout.BY_MODE.route(row, reader.wrap(row))).name();
    }

    long amount() {
      BigInteger amount = reader.amount(RowSchema.AMOUNT_FIELD);
      return amount.longValueExact();
    }
  }

  SimTable table(String name) {
    return lake.table(name).orElseThrow();
  }

  TableState state(String name) {
    return table(name).property().orElseThrow();
  }

  Optional<Position> watermark() {
    return lake.watermark().flatMap(TableState::to);
  }

  /** The positions in a table. */
  List<Position> positions(String name) {
    return table(name).rows().map(CanonicalRow::position).toList();
  }

  /** A batch's end. */
  static Position end(long batch) {
    return Position.batchEnd(batch);
  }

  /** A row of the default table. */
  static CanonicalRow row(long batch, int index) {
    return transaction(batch, index, "default", 10);
  }

  /** A row of the other table. */
  static CanonicalRow tieredRow(long batch, int index) {
    return transaction(batch, index, "position_settlement", 10);
  }

  static CanonicalRow transaction(long batch, int index, String mode, long amount) {
    return beginTransaction(batch, index, mode, amount).absentToEnd().toRow();
  }

  static RowWriter beginTransaction(long batch, int index, String mode, long amount) {
    return new RowWriter()
        .begin(RecordKind.TRANSACTION)
        .putLong(batch)
        .putLong(batch)
        .putInt(index)
        .putTimestamp(batch * 1000)
        .putTimestamp(batch * 1000)
        .putId(batch, index)
        .putId(1, 2)
        .putInt(1)
        .putInt(1)
        .putString("EUR")
        .putId(0, 1)
        .putId(0, 2)
        .putAmount(amount)
        .putString("single_phase")
        .putString(mode)
        .putString("posted");
  }
}
