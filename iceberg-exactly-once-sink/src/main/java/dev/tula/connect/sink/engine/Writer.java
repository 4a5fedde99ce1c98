package dev.tula.connect.sink.engine;

import dev.tula.connect.model.Position;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A writer that holds every table of its partition, and what it knows of them.
 *
 * @param claim its claim
 * @param watermark the watermark table
 * @param tables the data tables, by logical name
 * @param forcedCut D: where the next range must be cut, because some tables have it already (C9)
 */
public record Writer(
    WriterClaim claim,
    OwnedTable watermark,
    Map<String, OwnedTable> tables,
    Optional<Position> forcedCut) {
  /** Sorts and copies the map. */
  public Writer {
    Objects.requireNonNull(claim, "claim");
    Objects.requireNonNull(forcedCut, "forcedCut");
    tables = Collections.unmodifiableMap(new TreeMap<>(tables));
  }

  /** W; absent until START was committed. */
  public Optional<Position> position() {
    return watermark.state().to();
  }

  /** What the watermark table's state holds beside the range. */
  public WatermarkState watermarkState() {
    return watermark.state().watermark().orElseThrow();
  }

  /** Where a table's next range begins: its own last end, or where the stream began (C18). */
  Position rangeStart(String table) {
    OwnedTable owned = tables.get(table);
    if (isAhead(table)) {
      return owned.state().range().orElseThrow().range().from();
    }
    return owned.state().to().orElseGet(() -> watermarkState().startFrom().orElseThrow());
  }

  /** Whether a table already has the range up to {@link #forcedCut}. */
  boolean isAhead(String table) {
    return forcedCut.isPresent() && tables.get(table).state().to().equals(forcedCut);
  }

  Writer withTables(Map<String, OwnedTable> newTables) {
    return new Writer(claim, watermark, newTables, forcedCut);
  }

  Writer withWatermark(OwnedTable newWatermark) {
    return new Writer(claim, newWatermark, tables, Optional.empty());
  }
}
