package dev.tula.connect.lake.state;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.event.CheckpointEvent;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.engine.TableAtWatermark;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.engine.TableView;
import dev.tula.connect.sink.engine.WatermarkState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Holds what was read of a partition against what the commit protocol can leave behind. Each
 * problem is one sentence that names the table.
 */
public final class PartitionChecks {
  private final PipelineIdentity identity;
  private final PartitionReading reading;
  private final List<String> problems = new ArrayList<>();

  private PartitionChecks(PipelineIdentity identity, PartitionReading reading) {
    this.identity = identity;
    this.reading = reading;
  }

  /** Everything that is wrong with a partition's tables; halts are not among it. */
  public static List<String> problems(PipelineIdentity identity, PartitionReading reading) {
    PartitionChecks checks = new PartitionChecks(identity, reading);
    checks.run();
    return List.copyOf(checks.problems);
  }

  /**
   * What keeps a partition from being complete up to its published position: a halt, a problem, or
   * that none was published (I2).
   */
  public static List<String> obstacles(PipelineIdentity identity, PartitionReading reading) {
    List<String> obstacles = new ArrayList<>();
    reading
        .haltsInForce()
        .forEach(
            halt ->
                obstacles.add("durability halt " + halt.id() + " is in force: " + halt.message()));
    obstacles.addAll(problems(identity, reading));
    if (obstacles.isEmpty() && reading.position().isEmpty()) {
      obstacles.add("no watermark was published yet");
    }
    return obstacles;
  }

  private void run() {
    checkNotSetBack();
    reading.unreadable().ifPresent(problems::add);
    if (reading.watermark().isEmpty()) {
      checkNothingWritten();
      return;
    }
    checkView(reading.watermarkName(), reading.watermark().get());
    if (reading.watermarkState().isEmpty()) {
      checkNothingWritten();
      return;
    }
    WatermarkState state = reading.watermarkState().get();
    reading.tables().forEach(table -> checkTable(table, state.tables().get(table.table().name())));
    checkEndsAlike();
    checkRowsAccountedFor(state);
  }

  /** C8. */
  private void checkNotSetBack() {
    Optional<CheckpointEvent> newest = reading.events().view().newestCheckpoint();
    if (newest.isEmpty()) {
      return;
    }
    Position published = newest.get().to();
    if (reading.position().isEmpty() || published.isAfter(reading.position().get())) {
      problems.add(
          "the newest checkpoint says that the lake held everything up to "
              + published
              + ", and the watermark is "
              + reading.position().map(Position::toString).orElse("not set")
              + ": the lake was set back");
    }
  }

  /** Without a watermark no table may show that anything was committed (C3). */
  private void checkNothingWritten() {
    if (reading.unreadable().isPresent()) {
      return;
    }
    boolean written =
        reading.tables().stream()
            .anyMatch(
                table ->
                    table.unreadable().isPresent()
                        || table.state().isPresent()
                        || table.view().map(view -> view.totalRecords() > 0).orElse(false));
    if (written) {
      problems.add(
          "table "
              + reading.watermarkName()
              + " is missing or has no state, while other tables were written to");
    }
  }

  private void checkTable(TableReading table, TableAtWatermark then) {
    if (table.unreadable().isPresent()) {
      problems.add(table.unreadable().get());
    } else if (table.contents().isEmpty()) {
      problems.add("table " + table.name() + " is missing");
    } else if (then == null) {
      problems.add("table " + table.name() + " is not among those that the watermark names");
    } else {
      checkPresent(table, then);
    }
  }

  private void checkPresent(TableReading table, TableAtWatermark then) {
    TableView view = table.view().orElseThrow();
    if (!view.uuid().equals(then.uuid())) {
      problems.add(
          "table "
              + table.name()
              + " has UUID "
              + view.uuid()
              + " where "
              + then.uuid()
              + " is recorded: it was dropped and created anew");
      return;
    }
    checkView(table.name(), view);
    if (view.property().isEmpty()) {
      if (reading.position().isPresent()) {
        problems.add("table " + table.name() + " has lost its state");
      }
      return;
    }
    checkAgainstWatermark(table.name(), view.property().get(), then);
  }

  /** C7, whose it is, and its columns. */
  private void checkView(String name, TableView view) {
    view.disagreement().ifPresent(what -> problems.add("table " + name + ": " + what));
    view.schemaFault().ifPresent(what -> problems.add("table " + name + ": " + what));
    TableState.Identity mine = TableState.Identity.of(identity.stream(reading.partition()));
    view.property()
        .map(TableState::identity)
        .filter(theirs -> !theirs.equals(mine))
        .ifPresent(
            theirs ->
                problems.add("table " + name + " belongs to " + theirs + " and not to " + mine));
  }

  /** C6. */
  private void checkAgainstWatermark(String name, TableState state, TableAtWatermark then) {
    if (reading.position().isEmpty()) {
      if (state.range().isPresent() || state.totalRows() != 0) {
        problems.add("table " + name + " has a committed range, and there is no watermark");
      }
      return;
    }
    Position w = reading.position().get();
    if (then.to().isEmpty()) {
      problems.add("the watermark does not say where table " + name + " ended");
    } else if (then.standing(state, w) == TableAtWatermark.Standing.ELSEWHERE) {
      problems.add(
          "table "
              + name
              + " ends at "
              + state.to().map(Position::toString).orElse("no range")
              + " with "
              + state.totalRows()
              + " rows; at the watermark "
              + w
              + " it ended at "
              + then.to().map(Position::toString).orElse("no range")
              + " with "
              + then.totalRows());
    }
  }

  /** C9: all tables above the watermark have the same next range. */
  private void checkEndsAlike() {
    Map<Position, String> ends = new TreeMap<>();
    reading
        .tables()
        .forEach(table -> reading.aheadAt(table).ifPresent(end -> ends.put(end, table.name())));
    if (ends.size() > 1) {
      problems.add("tables above the watermark end at different positions: " + ends);
    }
  }

  /** C21. */
  private void checkRowsAccountedFor(WatermarkState state) {
    if (state.totalRows() != state.rowsDecoded()) {
      problems.add(
          state.rowsDecoded()
              + " records were taken from the stream, and the tables held "
              + state.totalRows()
              + " rows at the watermark");
    }
  }
}
