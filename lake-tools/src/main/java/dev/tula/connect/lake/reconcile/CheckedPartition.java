package dev.tula.connect.lake.reconcile;

import dev.tula.connect.model.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How one partition stands against its commit log.
 *
 * @param <T> what is known of each table
 * @param partition the export partition
 * @param watermark W, as of which it was looked at
 * @param tables its tables
 * @param differences what differs beside the tables
 */
public record CheckedPartition<T extends CheckedTable>(
    int partition, Optional<Position> watermark, List<T> tables, List<String> differences) {
  /** Copies the lists. */
  public CheckedPartition {
    tables = List.copyOf(tables);
    differences = List.copyOf(differences);
  }

  /** Everything that differs, each with its table's name. */
  public List<String> allDifferences() {
    List<String> all = new ArrayList<>(differences);
    for (T table : tables) {
      table.differences().forEach(what -> all.add("table " + table.name() + ": " + what));
    }
    return all;
  }
}
