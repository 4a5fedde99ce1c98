package dev.tula.connect.lake.state;

import dev.tula.connect.model.Position;
import dev.tula.connect.sink.engine.TableAtWatermark;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.engine.TableView;
import dev.tula.connect.sink.engine.WatermarkState;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A partition as one look showed it: the events first, then the tables, all under one watermark. So
 * a checkpoint in here is never newer than the watermark in here unless the lake was set back.
 *
 * @param partition the export partition
 * @param watermarkName the watermark table's name in the catalog
 * @param events what the checkpoints topic says
 * @param watermark the watermark table; absent where there is none, or its state can't be read
 * @param unreadable why the watermark table's state can't be read
 * @param tables every data table of the layout
 */
public record PartitionReading(
    int partition,
    String watermarkName,
    PartitionEvents events,
    Optional<TableView> watermark,
    Optional<String> unreadable,
    List<TableReading> tables) {
  /** Copies the list. */
  public PartitionReading {
    Objects.requireNonNull(watermark, "watermark");
    Objects.requireNonNull(unreadable, "unreadable");
    tables = List.copyOf(tables);
  }

  /** The watermark table's state. */
  public Optional<TableState> state() {
    return watermark.flatMap(TableView::property);
  }

  /** What only that state holds. */
  public Optional<WatermarkState> watermarkState() {
    return state().flatMap(TableState::watermark);
  }

  /** W; absent where none was published. */
  public Optional<Position> position() {
    return state().flatMap(TableState::to);
  }

  /** Every halt that topic or table know, by id. */
  public Map<String, Halt> halts() {
    return Halt.merge(
        events.halts(),
        events.view().clearedHalts(),
        watermark.map(TableView::halts).orElse(Map.of()),
        watermark.map(TableView::clearedHalts).orElse(Set.of()));
  }

  /** Those that stop writers. */
  public List<Halt> haltsInForce() {
    return halts().values().stream().filter(Halt::inForce).toList();
  }

  /**
   * Where a table ends that has exactly the next range above W already; absent for every other
   * table.
   */
  public Optional<Position> aheadAt(TableReading table) {
    Optional<TableAtWatermark> then =
        watermarkState().map(state -> state.tables().get(table.table().name()));
    if (position().isEmpty()
        || table.state().isEmpty()
        || then.flatMap(TableAtWatermark::to).isEmpty()) {
      return Optional.empty();
    }
    TableState state = table.state().get();
    boolean ahead =
        then.get().standing(state, position().get()) == TableAtWatermark.Standing.ONE_RANGE_AHEAD;
    return ahead ? state.to() : Optional.empty();
  }
}
