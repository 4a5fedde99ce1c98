package dev.tula.connect.lake.state;

import dev.tula.connect.sink.engine.LogicalTable;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.engine.TableView;
import dev.tula.connect.sink.lake.IcebergLake;
import java.util.Objects;
import java.util.Optional;

/**
 * A data table as one load showed it.
 *
 * @param table which
 * @param name its name in the catalog
 * @param contents what is there; absent where there is no such table, or its state can't be read
 * @param unreadable why its state can't be read
 */
public record TableReading(
    LogicalTable table,
    String name,
    Optional<IcebergLake.Contents> contents,
    Optional<String> unreadable) {
  /** Checks that the parts are there. */
  public TableReading {
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(contents, "contents");
    Objects.requireNonNull(unreadable, "unreadable");
  }

  /** What the engine would decide by. */
  public Optional<TableView> view() {
    return contents.map(IcebergLake.Contents::view);
  }

  /** The state that it carries. */
  public Optional<TableState> state() {
    return view().flatMap(TableView::property);
  }
}
