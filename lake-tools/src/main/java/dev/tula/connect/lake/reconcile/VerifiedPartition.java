package dev.tula.connect.lake.reconcile;

import dev.tula.connect.model.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How the digests of one partition's rows stand against those that were committed.
 *
 * @param partition the export partition
 * @param watermark W, as of which it was looked at
 * @param tables its tables
 * @param differences what differs beside the tables
 */
public record VerifiedPartition(
    int partition,
    Optional<Position> watermark,
    List<VerifiedTable> tables,
    List<String> differences) {
  /** Copies the lists. */
  public VerifiedPartition {
    tables = List.copyOf(tables);
    differences = List.copyOf(differences);
  }

  /** Everything that differs, each with its table's name. */
  public List<String> allDifferences() {
    List<String> all = new ArrayList<>(differences);
    for (VerifiedTable table : tables) {
      table.differences().forEach(what -> all.add("table " + table.name() + ": " + what));
    }
    return all;
  }
}
