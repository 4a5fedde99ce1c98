package dev.tula.connect.sink.engine;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Claims the watermark table, which allots the claim number, then the others side by side (C4). */
final class ClaimPhases {
  private final EngineSettings settings;
  private final TableChecks checks;

  ClaimPhases(EngineSettings settings, TableChecks checks) {
    this.settings = settings;
    this.checks = checks;
  }

  /** A recorded halt is in force until a clear names its id in either place (C25, C26). */
  void refuseIfHalted(EventsView events, Optional<TableView> watermark) {
    Map<String, String> halts = new TreeMap<>(events.halts());
    watermark.ifPresent(view -> halts.putAll(view.halts()));
    halts.keySet().removeAll(events.clearedHalts());
    watermark.ifPresent(view -> halts.keySet().removeAll(view.clearedHalts()));
    if (!halts.isEmpty()) {
      throw Ending.stopped(
          Stop.Code.HALTED_BEFORE,
          "partition "
              + settings.partition()
              + " was halted earlier and nobody has cleared it: "
              + String.join(" | ", halts.values())
              + " When the cause is cured: tula-lake clear-durability-halt --confirm, then restart"
              + " the task if it failed");
    }
  }

  Phase begin(
      int attempts,
      EventsView events,
      Map<String, Optional<TableView>> tables,
      TableView watermark) {
    long highest = events.highestEpoch();
    for (Optional<TableView> view : tables.values()) {
      highest =
          Math.max(
              highest,
              view.flatMap(TableView::property).map(state -> state.claim().epoch()).orElse(0L));
    }
    return claimWatermark(attempts, highest, tables, watermark);
  }

  private Phase claimWatermark(
      int attempts, long highestEpoch, Map<String, Optional<TableView>> tables, TableView view) {
    checks.sound(TableNames.WATERMARK, view);
    long highest =
        Math.max(highestEpoch, view.property().map(state -> state.claim().epoch()).orElse(0L));
    if (settings.fixedEpoch().isPresent() && settings.fixedEpoch().getAsLong() < highest) {
      throw Ending.failed(
          "tula.writer.epoch="
              + settings.fixedEpoch().getAsLong()
              + " is below "
              + highest
              + ", the highest that this lake has seen. Raise it, or set it to auto; nothing was"
              + " written");
    }
    if (attempts > settings.maxAttempts()) {
      throw Ending.failed(
          "could not claim table "
              + settings.physicalName(TableNames.WATERMARK)
              + " in "
              + attempts
              + " attempts: other writers keep claiming it. Stop the second connector on this"
              + " lake");
    }
    return new Phase.ClaimingWatermark(attempts, highest, tables, Optional.of(view));
  }

  Set<Effect> effects(Phase.ClaimingWatermark phase) {
    if (phase.view().isEmpty()) {
      return Set.of(new Effect.LoadTable(TableNames.WATERMARK));
    }
    TableView view = phase.view().get();
    return Set.of(
        new Effect.Commit(
            new TableCommit(
                TableNames.WATERMARK,
                view.uuid(),
                view.property(),
                claimed(phase, view),
                new TableCommit.Change.NoRows(),
                Map.of())));
  }

  private TableState claimed(Phase.ClaimingWatermark phase, TableView view) {
    long epoch = settings.fixedEpoch().orElse(phase.highestEpoch() + 1);
    long number = highestNumber(phase.tables(), view) + 1;
    WriterClaim claim = new WriterClaim(epoch, number, settings.writerId());
    return view.property()
        .map(state -> state.claimedBy(claim))
        .orElseGet(
            () ->
                TableState.first(
                    settings.stream(), claim, false, Optional.of(unwritten(phase.tables()))));
  }

  /**
   * The watermark table's number, unless that table was set back: a number is never allotted twice.
   */
  private static long highestNumber(Map<String, Optional<TableView>> tables, TableView watermark) {
    return Stream.concat(tables.values().stream().flatMap(Optional::stream), Stream.of(watermark))
        .flatMap(view -> view.property().stream())
        .mapToLong(state -> state.claim().number())
        .max()
        .orElse(0);
  }

  /**
   * The UUIDs go into the watermark state with the first claim, so that a replaced table is seen
   * from then on.
   */
  private static WatermarkState unwritten(Map<String, Optional<TableView>> tables) {
    Map<String, TableAtWatermark> atWatermark = new HashMap<>();
    tables.forEach(
        (table, view) ->
            atWatermark.put(table, TableAtWatermark.unwritten(view.orElseThrow().uuid())));
    return new WatermarkState(
        atWatermark, 0, Optional.empty(), OptionalLong.empty(), Optional.empty());
  }

  Phase afterWatermarkReply(
      Phase.ClaimingWatermark phase, TableState claimed, Lake.CommitReply reply) {
    if (reply instanceof Lake.CommitReply.Landed landed) {
      String uuid = phase.view().orElseThrow().uuid();
      return claimTables(
          phase, new OwnedTable(uuid, claimed, OptionalLong.of(landed.snapshotId())));
    }
    if (reply instanceof Lake.CommitReply.Refused refused) {
      return afterWatermarkView(withoutView(phase, phase.attempts() + 1), refused.now());
    }
    return withoutView(phase, phase.attempts());
  }

  private static Phase.ClaimingWatermark withoutView(Phase.ClaimingWatermark phase, int attempts) {
    return new Phase.ClaimingWatermark(
        attempts, phase.highestEpoch(), phase.tables(), Optional.empty());
  }

  Phase afterWatermarkView(Phase.ClaimingWatermark phase, Optional<TableView> now) {
    TableView view = checks.present(TableNames.WATERMARK, now);
    boolean ours =
        view.property()
            .map(state -> state.claim().writerId().equals(settings.writerId()))
            .orElse(false);
    if (ours) {
      checks.sound(TableNames.WATERMARK, view);
      return claimTables(phase, OwnedTable.of(view));
    }
    if (view.property().isEmpty()) {
      // What was surveyed may be gone since, and with it the right to a first claim (C3).
      return new Phase.Surveying(phase.attempts(), Map.of(), Optional.empty());
    }
    return claimWatermark(phase.attempts(), phase.highestEpoch(), phase.tables(), view);
  }

  private Phase claimTables(Phase.ClaimingWatermark phase, OwnedTable watermark) {
    Phase.ClaimingTables next =
        new Phase.ClaimingTables(0, watermark.state().claim(), watermark, Map.of());
    for (String table : watermark.state().watermark().orElseThrow().tables().keySet()) {
      Optional<TableView> surveyed = phase.tables().getOrDefault(table, Optional.empty());
      next =
          surveyed.isPresent()
              ? withView(next, table, surveyed)
              : put(next, table, Optional.empty());
    }
    return advance(next);
  }

  Set<Effect> effects(Phase.ClaimingTables phase) {
    Set<Effect> effects = new LinkedHashSet<>();
    phase.left().forEach((table, view) -> effects.add(effect(phase, table, view)));
    return effects;
  }

  private Effect effect(Phase.ClaimingTables phase, String table, Optional<TableView> maybe) {
    if (maybe.isEmpty()) {
      return new Effect.LoadTable(table);
    }
    TableView view = maybe.get();
    TableState next =
        view.property()
            .map(state -> state.claimedBy(phase.claim()))
            .orElseGet(
                () ->
                    TableState.first(
                        settings.stream(),
                        phase.claim(),
                        settings.hasAmounts(table),
                        Optional.empty()));
    return new Effect.Commit(
        new TableCommit(
            table, view.uuid(), view.property(), next, new TableCommit.Change.NoRows(), Map.of()));
  }

  Phase afterTableReply(Phase.ClaimingTables phase, String table, Lake.CommitReply reply) {
    if (reply instanceof Lake.CommitReply.Landed) {
      return without(phase, table);
    }
    if (reply instanceof Lake.CommitReply.Refused refused) {
      Phase.ClaimingTables next = withView(phase, table, refused.now());
      return advance(next.left().containsKey(table) ? counted(next, table) : next);
    }
    return put(phase, table, Optional.empty());
  }

  Phase afterTableView(Phase.ClaimingTables phase, String table, Optional<TableView> view) {
    return advance(withView(phase, table, view));
  }

  private Phase.ClaimingTables withView(
      Phase.ClaimingTables phase, String table, Optional<TableView> maybe) {
    TableView view = checks.present(table, maybe);
    checks.fence(table, view, phase.claim());
    checks.sameTable(table, view, recordedUuid(phase, table));
    checks.older(table, view, phase.claim());
    checks.sound(table, view);
    boolean ours = view.property().map(state -> state.claim().equals(phase.claim())).orElse(false);
    return ours ? remove(phase, table) : put(phase, table, Optional.of(view));
  }

  private static String recordedUuid(Phase.ClaimingTables phase, String table) {
    return phase.watermark().state().watermark().orElseThrow().tables().get(table).uuid();
  }

  private Phase.ClaimingTables counted(Phase.ClaimingTables phase, String table) {
    if (phase.attempts()
        >= settings.maxAttempts()
            * phase.watermark().state().watermark().orElseThrow().tables().size()) {
      throw Ending.failed(
          "could not claim table "
              + settings.physicalName(table)
              + " in "
              + phase.attempts()
              + " attempts: something else keeps changing it, and each was refused. Look in the"
              + " table's history for who commits there");
    }
    return new Phase.ClaimingTables(
        phase.attempts() + 1, phase.claim(), phase.watermark(), phase.left());
  }

  private static Phase.ClaimingTables put(
      Phase.ClaimingTables phase, String table, Optional<TableView> view) {
    Map<String, Optional<TableView>> left = new HashMap<>(phase.left());
    left.put(table, view);
    return new Phase.ClaimingTables(phase.attempts(), phase.claim(), phase.watermark(), left);
  }

  private static Phase.ClaimingTables remove(Phase.ClaimingTables phase, String table) {
    Map<String, Optional<TableView>> left = new HashMap<>(phase.left());
    left.remove(table);
    return new Phase.ClaimingTables(phase.attempts(), phase.claim(), phase.watermark(), left);
  }

  private static Phase without(Phase.ClaimingTables phase, String table) {
    return advance(remove(phase, table));
  }

  private static Phase advance(Phase.ClaimingTables phase) {
    return phase.left().isEmpty()
        ? new Phase.ReadingBack(phase.claim(), phase.watermark(), Map.of(), Optional.empty())
        : phase;
  }
}
