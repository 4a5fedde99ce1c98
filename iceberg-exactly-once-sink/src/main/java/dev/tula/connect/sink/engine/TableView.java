package dev.tula.connect.sink.engine;

import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A table as one load showed it: what the engine decides by. The three witnesses of C7 are {@code
 * property}, {@code newestOurs} and {@code totalRecords}.
 *
 * @param uuid the table's UUID
 * @param property the state in the table property; absent where the table has none
 * @param newestOurs the state in the newest ancestor of main that carries one; absent where none is
 *     left
 * @param newestOursSnapshotId that ancestor's snapshot id
 * @param totalRecords the rows of main's snapshot: from its summary, or counted from the manifests
 *     where an engine left it out
 * @param schemaFault what is wrong with columns, types or partitioning; absent where all is well
 * @param halts in the watermark table, each recorded halt's message by its id
 * @param clearedHalts in the watermark table, the ids of the halts that were cleared
 */
public record TableView(
    String uuid,
    Optional<TableState> property,
    Optional<TableState> newestOurs,
    OptionalLong newestOursSnapshotId,
    long totalRecords,
    Optional<String> schemaFault,
    Map<String, String> halts,
    Set<String> clearedHalts) {

  /** Prefix of the watermark table's property that holds a halt's message, before its id. */
  public static final String HALT_PROPERTY = "tula.halt.";

  /** Prefix of the property that says who cleared a halt and when, before the halt's id. */
  public static final String CLEAR_PROPERTY = "tula.clear.";

  /** Copies the collections. */
  public TableView {
    Objects.requireNonNull(uuid, "uuid");
    Objects.requireNonNull(property, "property");
    Objects.requireNonNull(newestOurs, "newestOurs");
    Objects.requireNonNull(newestOursSnapshotId, "newestOursSnapshotId");
    Objects.requireNonNull(schemaFault, "schemaFault");
    halts = Collections.unmodifiableMap(new TreeMap<>(halts));
    clearedHalts = Collections.unmodifiableSet(new TreeSet<>(clearedHalts));
  }

  /**
   * What the witnesses disagree on (C7); empty if they agree. A rollback takes the ancestor back
   * and leaves the property; a foreign DELETE or INSERT changes the rows and leaves both; a
   * compaction keeps all three.
   */
  public Optional<String> disagreement() {
    if (property.isEmpty()) {
      if (newestOurs.isPresent()) {
        return disagreementOfStates();
      }
      return totalRecords == 0
          ? Optional.empty()
          : Optional.of("it has " + totalRecords + " rows and no state of ours");
    }
    Optional<String> ofStates = disagreementOfStates();
    return ofStates.isPresent() || totalRecords == property.get().totalRows()
        ? ofStates
        : Optional.of(
            "it has " + totalRecords + " rows where its state says " + property.get().totalRows());
  }

  /** What the property and the newest snapshot of ours disagree on, whatever the rows are. */
  public Optional<String> disagreementOfStates() {
    if (property.isEmpty()) {
      return newestOurs.map(
          state -> "its history has a state of ours and its property tula.state is gone");
    }
    TableState state = property.get();
    if (newestOurs.isPresent() && !newestOurs.get().equals(state)) {
      return Optional.of(
          "its newest snapshot of ours is at "
              + position(newestOurs.get())
              + " and its property tula.state at "
              + position(state)
              + ": it was rolled back, or its property was edited");
    }
    return Optional.empty();
  }

  private static String position(TableState state) {
    return state.to().map(Object::toString).orElse("no range")
        + " (claim "
        + state.claim()
        + ", "
        + state.commit().word()
        + ")";
  }
}
