package dev.tula.connect.sink.engine.sim;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.sink.engine.TableNames;
import dev.tula.connect.sink.engine.TableState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Real damage to lake or topic: what must end in a halt (I6).
 *
 * @param kind what was done
 * @param table the table that it was done to, if it was one
 * @param mustHalt whether the next writer to open is bound to find it; otherwise it may also be
 *     harmless
 * @param cure undoes it
 */
record Corruption(Kind kind, Optional<String> table, boolean mustHalt, Runnable cure) {
  /** Kinds of damage. */
  enum Kind {
    TABLE_DROPPED,
    TABLE_RECREATED,
    /** CREATE OR REPLACE: no rows and no history, the same UUID and properties. */
    TABLE_REPLACED,
    TABLE_ROLLED_BACK,
    /** One table as it was before, property and all. */
    TABLE_RESTORED,
    STATE_REMOVED,
    ROWS_DELETED,
    ROWS_INSERTED,
    /** A row of a table in another engine's hands: no witness tells, only its digest. */
    LAKE_ROW_ALTERED,
    IDENTITY_DROPPED,
    /** Every table as it was before. */
    LAKE_SET_BACK,
    ITEM_REMOVED,
    ROW_ALTERED,
    /** A row that is in a table already, and above W. */
    ROW_ABOVE_W_ALTERED
  }

  /** Whether a repair of ours brings back what was. */
  boolean isRepairable() {
    boolean ofRows =
        kind == Kind.ROWS_DELETED || kind == Kind.ROWS_INSERTED || kind == Kind.LAKE_ROW_ALTERED;
    return ofRows && !table.equals(Optional.of(TableNames.WATERMARK));
  }

  /** Does some damage now; empty if there is nothing yet that it could be done to. */
  static Optional<Corruption> strike(Kind kind, Simulation simulation) {
    return switch (kind) {
      case IDENTITY_DROPPED -> dropIdentity(simulation.lake());
      case LAKE_SET_BACK -> setBack(simulation);
      case ITEM_REMOVED -> removeItem(simulation);
      case ROW_ALTERED -> alterRow(simulation);
      case ROW_ABOVE_W_ALTERED -> alterRowAboveW(simulation);
      default -> damageTable(kind, simulation);
    };
  }

  private static Optional<Corruption> damageTable(Kind kind, Simulation simulation) {
    SimLake lake = simulation.lake();
    List<String> written =
        lake.contents().tables().entrySet().stream()
            .filter(entry -> entry.getValue().property().isPresent())
            .filter(
                entry -> entry.getValue().totalRecords() > 0 || simulation.schedule().chance(0.1))
            .map(Map.Entry::getKey)
            .toList();
    if (written.isEmpty() || lake.watermark().flatMap(TableState::to).isEmpty()) {
      return Optional.empty();
    }
    String name = simulation.schedule().pick(written);
    SimTable whole = lake.table(name).orElseThrow();
    damage(kind, name, whole, simulation);
    Optional<SimTable> damaged = lake.table(name);
    if (damaged.equals(Optional.of(whole))) {
      return Optional.empty();
    }
    boolean mustHalt = isFound(name, whole, damaged, lake);
    return Optional.of(
        new Corruption(kind, Optional.of(name), mustHalt, () -> lake.set(name, whole)));
  }

  private static void damage(Kind kind, String name, SimTable whole, Simulation simulation) {
    SimLake lake = simulation.lake();
    switch (kind) {
      case TABLE_DROPPED -> lake.drop(name);
      case TABLE_RECREATED -> {
        lake.drop(name);
        lake.create(name);
      }
      case TABLE_REPLACED -> lake.set(name, whole.withMain(List.of()));
      case TABLE_ROLLED_BACK -> rollBack(name, whole, simulation);
      case TABLE_RESTORED -> restore(name, simulation);
      case STATE_REMOVED -> lake.set(name, whole.withoutProperty());
      case ROWS_DELETED -> lake.set(name, whole.afterForeign(withoutOneRow(whole.files())));
      case LAKE_ROW_ALTERED -> {
        if (!name.equals(TableNames.WATERMARK) && !whole.files().isEmpty()) {
          lake.set(name, whole.afterForeign(withOneRowAltered(whole.files())));
        }
      }
      default -> lake.set(name, whole.afterForeign(withOneRowMore(whole.files())));
    }
  }

  /** Nothing of before runs any more, for it could write to the old table as if it were new. */
  private static void restore(String name, Simulation simulation) {
    simulation
        .backup()
        .flatMap(old -> Optional.ofNullable(old.tables().get(name)))
        .ifPresent(
            old -> {
              simulation.crashAllForGood();
              simulation.lake().set(name, old);
            });
  }

  private static void rollBack(String name, SimTable whole, Simulation simulation) {
    if (whole.main().size() > 1) {
      int left = simulation.schedule().between(1, whole.main().size() - 1);
      simulation.lake().set(name, whole.withMain(whole.main().subList(0, left)));
    }
  }

  private static List<SimFile> withoutOneRow(List<SimFile> files) {
    List<SimFile> changed = new ArrayList<>(files);
    if (!files.isEmpty()) {
      List<CanonicalRow> rows = files.get(0).contents();
      changed.set(0, new SimFile("rewritten", rows.subList(1, rows.size())));
    }
    return changed;
  }

  private static List<SimFile> withOneRowAltered(List<SimFile> files) {
    List<SimFile> changed = new ArrayList<>(files);
    List<CanonicalRow> rows = new ArrayList<>(files.get(0).contents());
    rows.set(0, SimRows.altered(rows.get(0)));
    changed.set(0, new SimFile("altered", rows));
    return changed;
  }

  private static List<SimFile> withOneRowMore(List<SimFile> files) {
    List<SimFile> changed = new ArrayList<>(files);
    changed.add(new SimFile("inserted", List.of(SimRows.PLACEHOLDER)));
    return changed;
  }

  /**
   * Whether the damage shows: the table is gone or another one, its witnesses disagree, or it is
   * behind what W says of it.
   */
  private static boolean isFound(
      String name, SimTable whole, Optional<SimTable> damaged, SimLake lake) {
    if (damaged.isEmpty() || !damaged.get().uuid().equals(whole.uuid())) {
      return true;
    }
    if (witnessesDisagree(damaged.get())) {
      return true;
    }
    return !name.equals(TableNames.WATERMARK)
        && !damaged.get().property().flatMap(TableState::to).equals(toAtWatermark(name, lake))
        && damaged.get().totalRecords() < rowsAtWatermark(name, lake);
  }

  /** C7, told here without the code under test. */
  private static boolean witnessesDisagree(SimTable table) {
    Optional<TableState> inHistory = table.newestOurs().flatMap(SimTable.Snapshot::state);
    if (table.property().isEmpty()) {
      return inHistory.isPresent() || table.totalRecords() > 0;
    }
    TableState state = table.property().get();
    return inHistory.isPresent() && !inHistory.get().equals(state)
        || table.totalRecords() != state.totalRows();
  }

  private static Optional<Position> toAtWatermark(String name, SimLake lake) {
    return lake.watermark().orElseThrow().watermark().orElseThrow().tables().get(name).to();
  }

  private static long rowsAtWatermark(String name, SimLake lake) {
    return lake.watermark().orElseThrow().watermark().orElseThrow().tables().get(name).totalRows();
  }

  private static Optional<Corruption> dropIdentity(SimLake lake) {
    SimLake.Contents whole = lake.contents();
    if (whole.identity().isEmpty() || lake.table(TableNames.WATERMARK).isEmpty()) {
      return Optional.empty();
    }
    lake.set(new SimLake.Contents(Optional.empty(), whole.tables()));
    return Optional.of(
        new Corruption(
            Kind.IDENTITY_DROPPED,
            Optional.empty(),
            false, // who looked before there was one may yet create it, and it is the same
            () -> lake.set(new SimLake.Contents(whole.identity(), lake.contents().tables()))));
  }

  private static Optional<Corruption> setBack(Simulation simulation) {
    SimLake lake = simulation.lake();
    SimLake.Contents now = lake.contents();
    Optional<SimLake.Contents> old = simulation.backup();
    boolean differs =
        old.isPresent()
            && old.get().tables().containsKey(TableNames.WATERMARK)
            && watermark(old.get()).isPresent()
            && simulation.log().acked().isPresent()
            && simulation.log().acked().get().isAfter(watermark(old.get()).get());
    if (!differs) {
      return Optional.empty();
    }
    simulation.crashAllForGood();
    lake.set(old.get());
    return Optional.of(
        new Corruption(Kind.LAKE_SET_BACK, Optional.empty(), true, () -> lake.set(now)));
  }

  private static Optional<Position> watermark(SimLake.Contents contents) {
    return Optional.ofNullable(contents.tables().get(TableNames.WATERMARK))
        .flatMap(SimTable::property)
        .flatMap(TableState::to);
  }

  /** An item that W's successor is reached by. */
  private static Optional<Corruption> removeItem(Simulation simulation) {
    SimTopic topic = simulation.topic();
    List<Long> above = itemsAbove(simulation, false);
    if (above.isEmpty()) {
      return Optional.empty();
    }
    long offset = simulation.schedule().pick(above);
    StreamItem removed = topic.remove(offset);
    return Optional.of(
        new Corruption(
            Kind.ITEM_REMOVED, Optional.empty(), false, () -> topic.put(offset, removed)));
  }

  /** A row that comes again, so that it will be held against its other self. */
  private static Optional<Corruption> alterRow(Simulation simulation) {
    SimTopic topic = simulation.topic();
    List<Long> above = itemsAbove(simulation, true);
    if (above.isEmpty()) {
      return Optional.empty();
    }
    long offset = simulation.schedule().pick(above);
    StreamItem.Row whole = (StreamItem.Row) topic.items().get(offset);
    topic.put(offset, new StreamItem.Row(whole.pred(), SimRows.altered(whole.row())));
    return Optional.of(
        new Corruption(Kind.ROW_ALTERED, Optional.empty(), false, () -> topic.put(offset, whole)));
  }

  /** A row of a range that one table has and W does not: its digest tells when it is read again. */
  private static Optional<Corruption> alterRowAboveW(Simulation simulation) {
    Optional<TableState> w = simulation.lake().watermark().filter(state -> state.to().isPresent());
    List<Position> ahead = new ArrayList<>();
    for (Map.Entry<String, SimTable> table : simulation.lake().contents().tables().entrySet()) {
      if (w.isPresent() && !table.getKey().equals(TableNames.WATERMARK)) {
        table.getValue().rows().map(CanonicalRow::position).forEach(ahead::add);
      }
    }
    ahead.removeIf(position -> position.isAtOrBelow(w.orElseThrow().to().orElseThrow()));
    return ahead.isEmpty()
        ? Optional.empty()
        : alterFirst(simulation, simulation.schedule().pick(ahead));
  }

  private static Optional<Corruption> alterFirst(Simulation simulation, Position position) {
    SimTopic topic = simulation.topic();
    for (Map.Entry<Long, StreamItem> entry : topic.items().entrySet()) {
      if (entry.getValue() instanceof StreamItem.Row row && row.row().position().equals(position)) {
        simulation.crashAllForGood();
        long offset = entry.getKey();
        topic.put(offset, new StreamItem.Row(row.pred(), SimRows.altered(row.row())));
        return Optional.of(
            new Corruption(
                Kind.ROW_ABOVE_W_ALTERED, Optional.empty(), true, () -> topic.put(offset, row)));
      }
    }
    return Optional.empty();
  }

  private static List<Long> itemsAbove(Simulation simulation, boolean onlyReplays) {
    Position w = simulation.lake().watermark().flatMap(TableState::to).orElse(Position.ORIGIN);
    List<Long> offsets = new ArrayList<>();
    Position highest = Position.ORIGIN;
    for (Map.Entry<Long, StreamItem> entry : simulation.topic().items().entrySet()) {
      boolean again = entry.getValue().provesTo().isAtOrBelow(highest);
      highest = Position.max(highest, entry.getValue().provesTo());
      boolean wanted =
          onlyReplays
              ? entry.getValue() instanceof StreamItem.Row && again
              : entry.getValue().provesTo().isAfter(w) && !again;
      if (wanted) {
        offsets.add(entry.getKey());
      }
    }
    return offsets;
  }
}
