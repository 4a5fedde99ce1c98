package dev.tula.connect.sink.engine;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Identity first (C2), then a survey, and the creation of a fresh generation's tables, once (C3).
 */
final class OpeningPhases {
  private final EngineSettings settings;
  private final ClaimPhases claims;

  OpeningPhases(EngineSettings settings, ClaimPhases claims) {
    this.settings = settings;
    this.claims = claims;
  }

  Phase afterLookUp(Phase.LookingUpIdentity phase, Lake.IdentityLookup lookup) {
    if (lookup.properties().isPresent()) {
      checkIdentity(lookup.properties().get());
      return new Phase.Surveying(0, Map.of(), Optional.empty());
    }
    if (lookup.watermarkTable().isPresent()) {
      return missingIdentity(phase, lookup.watermarkTable().get());
    }
    return new Phase.CreatingIdentity(
        next(phase.attempts(), "create the pipeline's identity table"));
  }

  /**
   * Another starter may have created both tables between our two looks, so one look is not enough
   * to call it missing.
   */
  private Phase missingIdentity(Phase.LookingUpIdentity phase, String watermarkTable) {
    return phase.attempts() == 0
        ? new Phase.LookingUpIdentity(1)
        : new Phase.MissingIdentity(watermarkTable);
  }

  /** Halts, unless that was done before: else each restart would add a halt to be cleared. */
  Phase afterEvents(Phase.MissingIdentity phase, EventsView events) {
    claims.refuseIfHalted(events, Optional.empty());
    throw Ending.halted(
        HaltReason.PIPELINE_TABLE_MISSING,
        "table "
            + names().pipeline()
            + " is missing, while table "
            + phase.watermarkTable()
            + " of its generation exists");
  }

  private void checkIdentity(Map<String, String> recorded) {
    List<String> differences = settings.identity().differencesFrom(recorded);
    if (!differences.isEmpty()) {
      throw Ending.identity(
          "table "
              + names().pipeline()
              + " records another identity: "
              + String.join("; ", differences)
              + ". Nothing was written. Set the configuration back to what is recorded, or use"
              + " another iceberg.namespace or a new generation");
    }
  }

  Phase afterCreateIdentity(Phase.CreatingIdentity phase) {
    return new Phase.LookingUpIdentity(phase.attempts());
  }

  Set<Effect> effects(Phase.Surveying phase) {
    Set<Effect> effects = new LinkedHashSet<>();
    for (LogicalTable table : settings.tables()) {
      if (!phase.tables().containsKey(table.name())) {
        effects.add(new Effect.LoadTable(table.name()));
      }
    }
    if (phase.events().isEmpty()) {
      effects.add(new Effect.ReadEvents());
    }
    return effects;
  }

  Phase afterTable(Phase.Surveying phase, String table, Optional<TableView> view) {
    Map<String, Optional<TableView>> tables = new HashMap<>(phase.tables());
    tables.put(table, view);
    return surveyed(new Phase.Surveying(phase.attempts(), tables, phase.events()));
  }

  Phase afterEvents(Phase.Surveying phase, EventsView events) {
    return surveyed(new Phase.Surveying(phase.attempts(), phase.tables(), Optional.of(events)));
  }

  private Phase surveyed(Phase.Surveying phase) {
    boolean complete =
        phase.tables().size() == settings.tables().size() && phase.events().isPresent();
    return complete
        ? new Phase.SurveyingWatermark(phase.attempts(), phase.tables(), phase.events().get())
        : phase;
  }

  Phase afterWatermark(Phase.SurveyingWatermark phase, Optional<TableView> watermark) {
    claims.refuseIfHalted(phase.events(), watermark);
    if (watermark.isPresent() && watermark.get().property().isPresent()) {
      return claims.begin(phase.attempts(), phase.events(), phase.tables(), watermark.get());
    }
    refuseIfTraced(phase, watermark);
    Set<String> missing = missing(phase.tables(), watermark);
    if (missing.isEmpty()) {
      return claims.begin(
          phase.attempts(), phase.events(), phase.tables(), watermark.orElseThrow());
    }
    return new Phase.CreatingTables(
        next(phase.attempts(), "create the tables of a new generation"), missing);
  }

  /**
   * Without a watermark, anything that was written before means that the watermark was lost (C3,
   * I6).
   */
  private void refuseIfTraced(Phase.SurveyingWatermark phase, Optional<TableView> watermark) {
    watermark.ifPresent(view -> new TableChecks(settings).sound(TableNames.WATERMARK, view));
    phase
        .tables()
        .forEach((table, view) -> view.ifPresent(present -> refuseIfWritten(table, present)));
    if (phase.events().anyTrace()) {
      throw lost("the event topics name commits of this generation");
    }
  }

  private void refuseIfWritten(String table, TableView view) {
    new TableChecks(settings).sound(table, view);
    if (view.property().isPresent()) {
      throw lost("table " + settings.physicalName(table) + " carries a writer's state");
    }
  }

  private Ending lost(String evidence) {
    return Ending.halted(
        HaltReason.WATERMARK_TABLE_MISSING,
        "table "
            + settings.physicalName(TableNames.WATERMARK)
            + " is missing or empty of state, while "
            + evidence);
  }

  private static Set<String> missing(
      Map<String, Optional<TableView>> tables, Optional<TableView> watermark) {
    Set<String> missing =
        tables.entrySet().stream()
            .filter(entry -> entry.getValue().isEmpty())
            .map(Map.Entry::getKey)
            .collect(Collectors.toCollection(TreeSet::new));
    if (watermark.isEmpty()) {
      missing.add(TableNames.WATERMARK);
    }
    return missing;
  }

  /** The watermark table is created last, so that where it is, all others are. */
  Set<Effect> effects(Phase.CreatingTables phase) {
    if (phase.left().equals(Set.of(TableNames.WATERMARK))) {
      return Set.of(new Effect.CreateTable(TableNames.WATERMARK));
    }
    return phase.left().stream()
        .filter(table -> !table.equals(TableNames.WATERMARK))
        .map(Effect.CreateTable::new)
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  Phase afterCreateTable(Phase.CreatingTables phase, String table) {
    Set<String> left = new TreeSet<>(phase.left());
    left.remove(table);
    return left.isEmpty()
        ? new Phase.Surveying(phase.attempts(), Map.of(), Optional.empty())
        : new Phase.CreatingTables(phase.attempts(), left);
  }

  private int next(int attempts, String what) {
    if (attempts >= settings.maxAttempts()) {
      throw Ending.failed(
          "could not "
              + what
              + " in "
              + attempts
              + " attempts: something keeps removing what was created");
    }
    return attempts + 1;
  }

  private TableNames names() {
    return new TableNames(settings.identity().generation(), settings.identity().partitionCount());
  }
}
