package dev.tula.connect.sink.engine;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.model.event.TableEvent;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Commits a range: digests and files, then every table side by side, then the table events, then W,
 * then the checkpoint event (C19). Each commit is a compare-and-set of the table's whole state
 * (C14).
 */
final class CommitPhases {
  private final EngineSettings settings;
  private final TableChecks checks;
  private final InstantSource clock;

  CommitPhases(EngineSettings settings, TableChecks checks, InstantSource clock) {
    this.settings = settings;
    this.checks = checks;
    this.clock = clock;
  }

  /** W₀: the stream begins here, and no table has a row (encodings, "First W"). */
  Phase begin(Writer writer, StreamItem.Start start, KafkaPosition kafka) {
    Map<String, TableAtWatermark> tables = new HashMap<>();
    writer.tables().forEach((table, owned) -> tables.put(table, atWatermark(owned, start.from())));
    WatermarkState state =
        new WatermarkState(
            tables,
            0,
            Optional.of(start.from()),
            OptionalLong.of(start.floorTimeMicros()),
            Optional.of(kafka));
    return new Phase.CommittingWatermark(
        0,
        writer,
        new WatermarkMove(start.from(), start.from(), start.floorTimeMicros(), kafka, state),
        false);
  }

  Phase begin(Writer writer, SealedRange range) {
    Position w =
        writer.position().orElseThrow(() -> new IllegalStateException("a range before START"));
    if (range.to().compareTo(w) < 0 || !range.to().isBatchEnd()) {
      throw new IllegalStateException("range to " + range.to() + " after watermark " + w);
    }
    long closedThrough = writer.watermark().state().closedThroughMicros().orElseThrow();
    if (range.closedThroughMicros() < closedThrough) {
      throw new IllegalStateException(
          "closed through " + range.closedThroughMicros() + " µs after " + closedThrough);
    }
    writer.forcedCut().ifPresent(d -> checkForcedCut(writer, range, d));
    return range.tables().isEmpty()
        ? moveWatermark(writer, range)
        : new Phase.Staging(writer, range, Map.of());
  }

  private void checkForcedCut(Writer writer, SealedRange range, Position d) {
    if (!range.to().equals(d)) {
      throw new IllegalStateException(
          "range to " + range.to() + " where the cut is forced at " + d);
    }
    for (String table : writer.tables().keySet()) {
      if (writer.isAhead(table) && !range.tables().containsKey(table)) {
        throw digestDiffers(table, d, "has no rows in the stream now");
      }
    }
  }

  private Ending digestDiffers(String table, Position to, String what) {
    return Ending.halted(
        HaltReason.DIGEST_DIFFERS,
        "table " + settings.physicalName(table) + " has a range up to " + to + " that " + what);
  }

  Set<Effect> effects(Phase.Staging phase) {
    Set<Effect> effects = new LinkedHashSet<>();
    for (String table : phase.range().tables().keySet()) {
      if (!phase.staged().containsKey(table)) {
        Range range = new Range(phase.writer().rangeStart(table), phase.range().to());
        effects.add(
            new Effect.Stage(
                table,
                range,
                StagedFileName.of(phase.writer().claim(), table, range.to()),
                phase.writer().isAhead(table)));
      }
    }
    return effects;
  }

  Phase afterStage(Phase.Staging phase, String table, Outcome.Staged outcome) {
    Map<String, Outcome.Staged> staged = new HashMap<>(phase.staged());
    staged.put(table, outcome);
    if (staged.size() < phase.range().tables().size()) {
      return new Phase.Staging(phase.writer(), phase.range(), staged);
    }
    staged.entrySet().removeIf(entry -> skipIfThere(phase, entry.getKey(), entry.getValue()));
    return advance(new Phase.CommittingTables(0, phase.writer(), phase.range(), staged, Set.of()));
  }

  /**
   * A table that has the range already sees it again: the digests must be the same, and then it is
   * skipped (C9).
   */
  private boolean skipIfThere(Phase.Staging phase, String table, Outcome.Staged staged) {
    if (!phase.writer().isAhead(table)) {
      return false;
    }
    RangeState there = phase.writer().tables().get(table).state().range().orElseThrow();
    if (!there.digest().equals(Optional.of(staged.digest()))) {
      throw digestDiffers(
          table,
          phase.range().to(),
          "has digest "
              + there.digest().orElse("none")
              + " in the table and "
              + staged.digest()
              + " in the stream now");
    }
    return true;
  }

  Set<Effect> effects(Phase.CommittingTables phase) {
    Set<Effect> effects = new LinkedHashSet<>();
    for (String table : phase.left().keySet()) {
      effects.add(
          phase.reloading().contains(table) ? new Effect.LoadTable(table) : commit(phase, table));
    }
    return effects;
  }

  private Effect commit(Phase.CommittingTables phase, String table) {
    OwnedTable owned = phase.writer().tables().get(table);
    return new Effect.Commit(
        new TableCommit(
            table,
            owned.uuid(),
            Optional.of(owned.state()),
            next(phase, table),
            new TableCommit.Change.Append(List.of(phase.left().get(table).file().orElseThrow())),
            Map.of()));
  }

  private static TableState next(Phase.CommittingTables phase, String table) {
    SealedTable sealed = phase.range().tables().get(table);
    RangeState range =
        new RangeState(
            new Range(phase.writer().rangeStart(table), phase.range().to()),
            Optional.of(phase.left().get(table).digest()),
            sealed.rows(),
            sealed.amountSum());
    return phase
        .writer()
        .tables()
        .get(table)
        .state()
        .afterRange(range, phase.range().closedThroughMicros());
  }

  Phase afterReply(Phase.CommittingTables phase, String table, Lake.CommitReply reply) {
    if (reply instanceof Lake.CommitReply.Landed landed) {
      OwnedTable owned = phase.writer().tables().get(table);
      return landed(phase, table, owned.with(next(phase, table), landed.snapshotId()));
    }
    if (reply instanceof Lake.CommitReply.Refused refused) {
      Phase next = afterView(phase, table, refused.now());
      return next instanceof Phase.CommittingTables again && again.left().containsKey(table)
          ? counted(again, table)
          : next;
    }
    Set<String> reloading = new HashSet<>(phase.reloading());
    reloading.add(table);
    return new Phase.CommittingTables(
        phase.attempts(), phase.writer(), phase.range(), phase.left(), reloading);
  }

  private Phase.CommittingTables counted(Phase.CommittingTables phase, String table) {
    return new Phase.CommittingTables(
        counted(phase.attempts(), phase.range().tables().size(), table),
        phase.writer(),
        phase.range(),
        phase.left(),
        phase.reloading());
  }

  /** Judges a table that did not take the commit, or of which nobody knows, in the order of C15. */
  Phase afterView(Phase.CommittingTables phase, String table, Optional<TableView> view) {
    OwnedTable owned = phase.writer().tables().get(table);
    TableState now = checks.owned(table, view, owned.uuid(), phase.writer().claim());
    TableState wanted = next(phase, table);
    if (now.range().equals(wanted.range()) && now.chain().equals(wanted.chain())) {
      return landed(phase, table, OwnedTable.of(view.orElseThrow()));
    }
    if (!now.to().equals(owned.state().to()) || !now.chain().equals(owned.state().chain())) {
      throw refused(table, now, wanted);
    }
    Set<String> reloading = new HashSet<>(phase.reloading());
    reloading.remove(table);
    return new Phase.CommittingTables(
        phase.attempts(),
        replace(phase.writer(), table, OwnedTable.of(view.orElseThrow())),
        phase.range(),
        phase.left(),
        reloading);
  }

  private Ending refused(String table, TableState now, TableState wanted) {
    Range range = wanted.range().orElseThrow().range();
    if (now.range().map(RangeState::range).equals(Optional.of(range))) {
      return digestDiffers(table, range.to(), "has another digest than the one to be committed");
    }
    return Ending.halted(
        HaltReason.TABLE_NOT_AT_WATERMARK,
        "table "
            + settings.physicalName(table)
            + " ends at "
            + now.to().map(Position::toString).orElse("no range")
            + ", and the range to be committed is "
            + range);
  }

  private Phase landed(Phase.CommittingTables phase, String table, OwnedTable owned) {
    Map<String, Outcome.Staged> left = new HashMap<>(phase.left());
    left.remove(table);
    Set<String> reloading = new HashSet<>(phase.reloading());
    reloading.remove(table);
    return advance(
        new Phase.CommittingTables(
            phase.attempts(),
            replace(phase.writer(), table, owned),
            phase.range(),
            left,
            reloading));
  }

  private static Writer replace(Writer writer, String table, OwnedTable owned) {
    Map<String, OwnedTable> tables = new HashMap<>(writer.tables());
    tables.put(table, owned);
    return writer.withTables(tables);
  }

  private Phase advance(Phase.CommittingTables phase) {
    if (!phase.left().isEmpty()) {
      return phase;
    }
    List<LakeEvent> events = new ArrayList<>();
    phase.range().tables().keySet().forEach(table -> events.add(tableEvent(phase.writer(), table)));
    return new Phase.PublishingTables(phase.writer(), phase.range(), events);
  }

  private LakeEvent tableEvent(Writer writer, String table) {
    OwnedTable owned = writer.tables().get(table);
    RangeState range = owned.state().range().orElseThrow();
    return new TableEvent(
        settings.eventIdentity(),
        table,
        owned.uuid(),
        range.range().from(),
        range.range().to(),
        range.digest().orElseThrow(),
        owned.state().chain().toString(),
        range.rows(),
        range.amountSum(),
        owned.state().totalRows(),
        owned.snapshotId().orElse(-1),
        writer.claim().epoch(),
        writer.claim().number());
  }

  Phase afterPublish(Phase.PublishingTables phase) {
    return moveWatermark(phase.writer(), phase.range());
  }

  private Phase moveWatermark(Writer writer, SealedRange range) {
    WatermarkState before = writer.watermarkState();
    Map<String, TableAtWatermark> tables = new HashMap<>();
    writer
        .tables()
        .forEach(
            (table, owned) ->
                tables.put(table, atWatermark(owned, before.startFrom().orElseThrow())));
    WatermarkState after =
        new WatermarkState(
            tables,
            range.rowsDecoded(),
            before.startFrom(),
            before.startFloorTimeMicros(),
            Optional.of(range.kafka()));
    if (after.totalRows() != after.rowsDecoded()) {
      throw RecoveryPhases.rowsUnaccounted(settings, after);
    }
    return new Phase.CommittingWatermark(
        0,
        writer,
        new WatermarkMove(
            writer.position().orElseThrow(),
            range.to(),
            range.closedThroughMicros(),
            range.kafka(),
            after),
        false);
  }

  private static TableAtWatermark atWatermark(OwnedTable owned, Position startFrom) {
    TableState state = owned.state();
    return new TableAtWatermark(
        owned.uuid(),
        Optional.of(state.to().orElse(startFrom)),
        state.chain(),
        owned.snapshotId(),
        state.totalRows());
  }

  Set<Effect> effects(Phase.CommittingWatermark phase) {
    if (phase.reloading()) {
      return Set.of(new Effect.LoadTable(TableNames.WATERMARK));
    }
    OwnedTable owned = phase.writer().watermark();
    WatermarkMove move = phase.move();
    WatermarkRow row =
        new WatermarkRow(
            settings.identity(),
            settings.partition(),
            move.to(),
            move.closedThroughMicros(),
            phase.writer().claim().epoch(),
            move.kafka());
    return Set.of(
        new Effect.Commit(
            new TableCommit(
                TableNames.WATERMARK,
                owned.uuid(),
                Optional.of(owned.state()),
                next(phase),
                new TableCommit.Change.ReplaceRow(row),
                Map.of())));
  }

  private static TableState next(Phase.CommittingWatermark phase) {
    WatermarkMove move = phase.move();
    return phase
        .writer()
        .watermark()
        .state()
        .afterWatermark(
            RangeState.ofWatermark(new Range(move.from(), move.to())),
            move.closedThroughMicros(),
            move.state());
  }

  Phase afterReply(Phase.CommittingWatermark phase, Lake.CommitReply reply) {
    if (reply instanceof Lake.CommitReply.Landed landed) {
      return published(phase, phase.writer().watermark().with(next(phase), landed.snapshotId()));
    }
    if (reply instanceof Lake.CommitReply.Refused refused) {
      Phase next = afterView(phase, refused.now());
      return next instanceof Phase.CommittingWatermark again ? counted(again) : next;
    }
    return new Phase.CommittingWatermark(phase.attempts(), phase.writer(), phase.move(), true);
  }

  Phase afterView(Phase.CommittingWatermark phase, Optional<TableView> view) {
    OwnedTable owned = phase.writer().watermark();
    TableState now = checks.owned(TableNames.WATERMARK, view, owned.uuid(), phase.writer().claim());
    TableState wanted = next(phase);
    if (sameWatermark(now, wanted)) {
      return published(phase, OwnedTable.of(view.orElseThrow()));
    }
    if (!sameWatermark(now, owned.state())) {
      throw Ending.halted(
          HaltReason.TABLE_NOT_AT_WATERMARK,
          "table "
              + settings.physicalName(TableNames.WATERMARK)
              + " is at "
              + now.to().map(Position::toString).orElse("no position")
              + ", which this writer, its only one, did not commit");
    }
    Writer writer =
        new Writer(
            phase.writer().claim(),
            OwnedTable.of(view.orElseThrow()),
            phase.writer().tables(),
            phase.writer().forcedCut());
    return new Phase.CommittingWatermark(phase.attempts(), writer, phase.move(), false);
  }

  private Phase counted(Phase.CommittingWatermark phase) {
    return new Phase.CommittingWatermark(
        counted(phase.attempts(), 1, TableNames.WATERMARK),
        phase.writer(),
        phase.move(),
        phase.reloading());
  }

  private static boolean sameWatermark(TableState a, TableState b) {
    return a.range().equals(b.range())
        && a.watermark().equals(b.watermark())
        && a.closedThroughMicros().equals(b.closedThroughMicros());
  }

  private Phase published(Phase.CommittingWatermark phase, OwnedTable watermark) {
    Writer writer = phase.writer().withWatermark(watermark);
    return new Phase.PublishingCheckpoint(
        writer, RecoveryPhases.checkpoint(settings, writer, clock));
  }

  /**
   * Counts a refusal. A reply that is not known counts for nothing here: how long those may go on
   * is a matter of time, which whoever drives the engine has.
   */
  private int counted(int attempts, int tables, String table) {
    if (attempts >= settings.maxAttempts() * tables) {
      throw Ending.failed(
          "could not commit to table "
              + settings.physicalName(table)
              + " in "
              + attempts
              + " attempts: something else keeps changing it, and each was refused. Look in the"
              + " table's history for who commits there. Nothing was lost; the range is committed"
              + " again after a restart");
    }
    return attempts + 1;
  }
}
