package dev.tula.connect.sink.engine;

import java.util.Optional;

/**
 * The checks that every view of a table passes before anything follows from it, in the order of
 * C15.
 */
final class TableChecks {
  private final EngineSettings settings;

  TableChecks(EngineSettings settings) {
    this.settings = settings;
  }

  /** The table, which must be there. */
  TableView present(String table, Optional<TableView> view) {
    return view.orElseThrow(
        () ->
            Ending.halted(
                table.equals(TableNames.WATERMARK)
                    ? HaltReason.WATERMARK_TABLE_MISSING
                    : HaltReason.TABLE_MISSING,
                "table "
                    + name(table)
                    + " is missing; it was there when this generation was opened"));
  }

  /**
   * The state of a table that nobody may have claimed after us and that must not have lost our
   * claim.
   */
  TableState owned(String table, Optional<TableView> maybe, String uuid, WriterClaim ours) {
    TableView view = present(table, maybe);
    fence(table, view, ours);
    sameTable(table, view, uuid);
    WriterClaim theirs =
        view.property()
            .map(TableState::claim)
            .orElseThrow(
                () ->
                    Ending.halted(
                        HaltReason.CLAIM_LOST, "table " + name(table) + " has lost its state"));
    if (!theirs.equals(ours)) {
      throw Ending.halted(
          HaltReason.CLAIM_LOST,
          "table "
              + name(table)
              + " shows the older claim "
              + theirs
              + " where ours, "
              + ours
              + ", was");
    }
    sound(table, view);
    return view.property().get();
  }

  /** Ends the writer if a newer claim than {@code ours} is in the table. */
  void fence(String table, TableView view, WriterClaim ours) {
    Optional<WriterClaim> theirs = view.property().map(TableState::claim);
    if (theirs.isPresent() && theirs.get().isNewerThan(ours)) {
      throw Ending.fenced(name(table), theirs.get(), ours);
    }
  }

  /**
   * A claim that is not newer than {@code ours} must be older, or ours. No two writers are allotted
   * the same one, unless the table that allots them was set back.
   */
  void older(String table, TableView view, WriterClaim ours) {
    Optional<WriterClaim> theirs = view.property().map(TableState::claim);
    if (theirs.isPresent() && !theirs.get().equals(ours) && !ours.isNewerThan(theirs.get())) {
      throw Ending.halted(
          HaltReason.CLAIM_LOST,
          "table "
              + name(table)
              + " carries claim "
              + theirs.get()
              + ", which table "
              + name(TableNames.WATERMARK)
              + " has allotted again, as "
              + ours);
    }
  }

  void sameTable(String table, TableView view, String uuid) {
    if (!view.uuid().equals(uuid)) {
      throw Ending.halted(
          HaltReason.TABLE_REPLACED,
          "table "
              + name(table)
              + " has UUID "
              + view.uuid()
              + " where "
              + uuid
              + " is recorded: it was dropped and created anew");
    }
  }

  /** Witnesses, identity and columns of one view. */
  void sound(String table, TableView view) {
    view.disagreement()
        .ifPresent(
            what -> {
              throw Ending.halted(
                  HaltReason.WITNESSES_DISAGREE, "table " + name(table) + ": " + what);
            });
    view.property().ifPresent(state -> sameIdentity(table, state));
    view.property().ifPresent(state -> stateOfItsKind(table, state));
    view.schemaFault()
        .ifPresent(
            fault -> {
              throw Ending.failed("table " + name(table) + ": " + fault + "; nothing was written");
            });
  }

  /** Somebody put one table's state into another. */
  private void stateOfItsKind(String table, TableState state) {
    if (table.equals(TableNames.WATERMARK) != state.watermark().isPresent()) {
      throw Ending.halted(
          HaltReason.WITNESSES_DISAGREE,
          "table "
              + name(table)
              + ": its property tula.state is "
              + (state.watermark().isPresent() ? "a" : "not a")
              + " watermark table's");
    }
  }

  private void sameIdentity(String table, TableState state) {
    TableState.Identity mine = TableState.Identity.of(settings.stream());
    if (!state.identity().equals(mine)) {
      throw Ending.identity(
          "table "
              + name(table)
              + " belongs to "
              + state.identity()
              + ", and this connector is configured as "
              + mine
              + ". Nothing was written. Set the configuration back, or use another"
              + " iceberg.namespace");
    }
  }

  private String name(String table) {
    return settings.physicalName(table);
  }
}
