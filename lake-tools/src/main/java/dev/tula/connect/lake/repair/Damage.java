package dev.tula.connect.lake.repair;

import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.sink.lake.IcebergLake.FoundRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What of one table is not as the ledger has it, by position. Not thread-safe. */
final class Damage {
  /** All of it is held in memory until it is committed. */
  static final int MAX_POSITIONS = 500_000;

  private final String name;
  private final Map<Position, Optional<CanonicalRow>> right = new TreeMap<>();
  private final Set<Position> present = new TreeSet<>();
  private long missing;
  private long doubled;
  private long altered;
  private long unexpected;
  private long surplus;

  /**
   * @param name the table's name in the catalog, for messages
   */
  Damage(String name) {
    this.name = name;
  }

  /**
   * Compares a stretch of the table with the ledger.
   *
   * @param expected the ledger's rows for this table, in position order
   * @param found the table's, in position order
   */
  void compare(List<CanonicalRow> expected, List<FoundRow> found) {
    int at = 0;
    for (CanonicalRow row : expected) {
      Position position = row.position();
      at = unexpectedBefore(position, found, at);
      int end = at;
      while (end < found.size() && found.get(end).position().equals(position)) {
        end++;
      }
      judge(row, found.subList(at, end));
      at = end;
    }
    unexpectedBefore(null, found, at);
  }

  /** Rows that the ledger does not have, up to a position; null for all that are left. */
  private int unexpectedBefore(Position position, List<FoundRow> found, int from) {
    int at = from;
    while (at < found.size() && (position == null || position.isAfter(found.get(at).position()))) {
      unexpected++;
      surplus++;
      note(found.get(at).position(), Optional.empty());
      present.add(found.get(at).position());
      at++;
    }
    return at;
  }

  private void judge(CanonicalRow row, List<FoundRow> found) {
    boolean allRight =
        found.stream().allMatch(each -> each.row().filter(row::sameBytes).isPresent());
    if (found.size() == 1 && allRight) {
      return;
    }
    missing += found.isEmpty() ? 1 : 0;
    doubled += found.size() > 1 ? 1 : 0;
    altered += allRight ? 0 : 1;
    surplus += found.size() - 1;
    note(row.position(), Optional.of(row));
    if (!found.isEmpty()) {
      present.add(row.position());
    }
  }

  private void note(Position position, Optional<CanonicalRow> row) {
    right.put(position, row);
    if (right.size() > MAX_POSITIONS) {
      throw ToolException.error(
          "more than "
              + MAX_POSITIONS
              + " rows of table "
              + name
              + " are not as the ledger has them. Repair a smaller range first; nothing was"
              + " changed");
    }
  }

  boolean isNone() {
    return right.isEmpty();
  }

  /** Where anything is wrong. */
  Set<Position> positions() {
    return right.keySet();
  }

  /** Those of them where there is a row that has to go. */
  Set<Position> present() {
    return present;
  }

  /** The rows that are to be put in, in position order. */
  List<CanonicalRow> rows() {
    List<CanonicalRow> rows = new ArrayList<>();
    right.values().forEach(row -> row.ifPresent(rows::add));
    return rows;
  }

  /** How many rows more there are than there should be; below 0 where there are too few. */
  long surplus() {
    return surplus;
  }

  long missing() {
    return missing;
  }

  long doubled() {
    return doubled;
  }

  long altered() {
    return altered;
  }

  long unexpected() {
    return unexpected;
  }
}
