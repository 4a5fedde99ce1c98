package dev.tula.connect.sink.engine;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.event.CheckpointEvent;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Reads everything back after claiming (C5) and finds out what the lake holds: W, and at most one D
 * above it (C6 to C9).
 */
final class RecoveryPhases {
  private final EngineSettings settings;
  private final TableChecks checks;
  private final ClaimPhases claims;
  private final InstantSource clock;

  RecoveryPhases(
      EngineSettings settings, TableChecks checks, ClaimPhases claims, InstantSource clock) {
    this.settings = settings;
    this.checks = checks;
    this.claims = claims;
    this.clock = clock;
  }

  Set<Effect> effects(Phase.ReadingBack phase) {
    Set<Effect> effects = new LinkedHashSet<>();
    recorded(phase).keySet().stream()
        .filter(table -> !phase.seen().containsKey(table))
        .forEach(table -> effects.add(new Effect.LoadTable(table)));
    if (!phase.seen().containsKey(TableNames.WATERMARK)) {
      effects.add(new Effect.LoadTable(TableNames.WATERMARK));
    }
    if (phase.events().isEmpty()) {
      effects.add(new Effect.ReadEvents());
    }
    return effects;
  }

  private static Map<String, TableAtWatermark> recorded(Phase.ReadingBack phase) {
    return phase.watermark().state().watermark().orElseThrow().tables();
  }

  Phase afterTable(Phase.ReadingBack phase, String table, Optional<TableView> view) {
    String uuid =
        table.equals(TableNames.WATERMARK)
            ? phase.watermark().uuid()
            : recorded(phase).get(table).uuid();
    checks.owned(table, view, uuid, phase.claim());
    Map<String, TableView> seen = new HashMap<>(phase.seen());
    seen.put(table, view.orElseThrow());
    return readBack(new Phase.ReadingBack(phase.claim(), phase.watermark(), seen, phase.events()));
  }

  Phase afterEvents(Phase.ReadingBack phase, EventsView events) {
    return readBack(
        new Phase.ReadingBack(phase.claim(), phase.watermark(), phase.seen(), Optional.of(events)));
  }

  private Phase readBack(Phase.ReadingBack phase) {
    boolean complete =
        phase.seen().size() == recorded(phase).size() + 1 && phase.events().isPresent();
    return complete ? recover(phase) : phase;
  }

  private Phase recover(Phase.ReadingBack phase) {
    TableView watermarkView = phase.seen().get(TableNames.WATERMARK);
    claims.refuseIfHalted(phase.events().orElseThrow(), Optional.of(watermarkView));
    OwnedTable watermark = OwnedTable.of(watermarkView);
    Map<String, OwnedTable> tables = new TreeMap<>();
    recorded(phase)
        .keySet()
        .forEach(table -> tables.put(table, OwnedTable.of(phase.seen().get(table))));
    checkNotSetBack(watermark, phase.events().orElseThrow());
    if (watermark.state().to().isEmpty()) {
      checkUnwritten(tables);
      return new Phase.Streaming(new Writer(phase.claim(), watermark, tables, Optional.empty()));
    }
    Writer writer = new Writer(phase.claim(), watermark, tables, forcedCut(watermark, tables));
    checkRowsAccountedFor(writer.watermarkState());
    return new Phase.Republishing(writer, checkpoint(settings, writer, clock));
  }

  /** C8. */
  private void checkNotSetBack(OwnedTable watermark, EventsView events) {
    Optional<CheckpointEvent> newest = events.newestCheckpoint();
    if (newest.isEmpty()) {
      return;
    }
    Position published = newest.get().to();
    Optional<Position> held = watermark.state().to();
    if (held.isEmpty() || published.isAfter(held.get())) {
      throw Ending.halted(
          HaltReason.LAKE_SET_BACK,
          "the newest checkpoint of partition "
              + settings.partition()
              + " says that the lake held everything up to "
              + published
              + ", and its watermark is "
              + held.map(Position::toString).orElse("not set"));
    }
  }

  private void checkUnwritten(Map<String, OwnedTable> tables) {
    tables.forEach(
        (table, owned) -> {
          if (owned.state().range().isPresent() || owned.state().totalRows() != 0) {
            throw Ending.halted(
                HaltReason.TABLE_NOT_AT_WATERMARK,
                "table "
                    + settings.physicalName(table)
                    + " has a committed range, and there is no watermark");
          }
        });
  }

  /**
   * Every table is what it was at W, or exactly one range ahead of it, and all that are ahead end
   * alike (C6, C9).
   */
  private Optional<Position> forcedCut(OwnedTable watermark, Map<String, OwnedTable> tables) {
    Map<Position, String> ends = new TreeMap<>();
    tables.forEach(
        (table, owned) -> {
          TableAtWatermark then = watermark.state().watermark().orElseThrow().tables().get(table);
          aheadOf(table, owned.state(), then, watermark.state().to().orElseThrow())
              .ifPresent(d -> ends.put(d, table));
        });
    if (ends.size() > 1) {
      throw Ending.halted(
          HaltReason.TABLES_APART,
          "tables above the watermark end at different positions: " + ends);
    }
    return ends.keySet().stream().findFirst();
  }

  private Optional<Position> aheadOf(
      String table, TableState state, TableAtWatermark then, Position w) {
    Position to = then.endOf(state);
    return switch (then.standing(state, w)) {
      case AT_WATERMARK -> Optional.empty();
      case ONE_RANGE_AHEAD -> Optional.of(to);
      case ELSEWHERE ->
          throw Ending.halted(
              HaltReason.TABLE_NOT_AT_WATERMARK,
              "table "
                  + settings.physicalName(table)
                  + " ends at "
                  + to
                  + " with "
                  + state.totalRows()
                  + " rows; at the watermark "
                  + w
                  + " it ended at "
                  + then.to().orElseThrow()
                  + " with "
                  + then.totalRows());
    };
  }

  /** C21. */
  private void checkRowsAccountedFor(WatermarkState state) {
    if (state.totalRows() != state.rowsDecoded()) {
      throw rowsUnaccounted(settings, state);
    }
  }

  static Ending rowsUnaccounted(EngineSettings settings, WatermarkState state) {
    return Ending.halted(
        HaltReason.ROWS_UNACCOUNTED,
        "partition "
            + settings.partition()
            + ": "
            + state.rowsDecoded()
            + " records were taken from the stream, and the tables hold "
            + state.totalRows()
            + " rows");
  }

  static CheckpointEvent checkpoint(EngineSettings settings, Writer writer, InstantSource clock) {
    TableState state = writer.watermark().state();
    KafkaPosition kafka = writer.watermarkState().kafka().orElseThrow();
    return new CheckpointEvent(
        settings.eventIdentity(),
        writer.claim().epoch(),
        writer.claim().number(),
        writer.claim().writerId(),
        state.range().orElseThrow().range().from(),
        state.range().orElseThrow().range().to(),
        state.closedThroughMicros().orElseThrow(),
        kafka.topic(),
        kafka.partition(),
        kafka.offset(),
        clock.instant());
  }
}
