package dev.tula.connect.lake.reconcile;

import dev.tula.connect.lake.state.EventTopic;
import dev.tula.connect.lake.state.PartitionChecks;
import dev.tula.connect.lake.state.PartitionReading;
import dev.tula.connect.lake.state.TableReading;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.event.TableEvent;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.engine.RangeState;
import dev.tula.connect.sink.engine.WatermarkState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Plays a partition's commit log against its tables. The tables were read first and the log is read
 * after them, so whatever a table holds up to the watermark is in the log (C19); what was logged of
 * ranges that the tables did not have yet is left out.
 *
 * <p>For one thread, and used once.
 */
final class LogReplay {
  private final PipelineIdentity identity;
  private final PartitionReading reading;
  private final Map<String, TableWork> works = new LinkedHashMap<>();
  private final Differences differences = new Differences();

  LogReplay(PipelineIdentity identity, PartitionReading reading) {
    this.identity = identity;
    this.reading = reading;
  }

  /** The tables that were held against the log; none where nothing was published yet. */
  List<TableWork> works() {
    return new ArrayList<>(works.values());
  }

  /** What differs and is not of one table. */
  Differences differences() {
    return differences;
  }

  /**
   * Plays it.
   *
   * @param commits the commits topic
   * @param listeners who is told of a table's ranges
   */
  void run(EventTopic commits, Function<TableReading, TableLog.RangeListener> listeners) {
    PartitionChecks.problems(identity, reading).forEach(differences::add);
    Optional<Position> start = reading.watermarkState().flatMap(WatermarkState::startFrom);
    if (start.isEmpty()) {
      differences.add("no watermark was published yet, so there is nothing to hold against it");
      return;
    }
    CommitLog log = CommitLog.open(commits, EventIdentity.of(identity.stream(reading.partition())));
    log.malformed().ifPresent(differences::add);
    for (TableReading table : reading.tables()) {
      if (table.state().isPresent()) {
        works.put(table.table().name(), work(table, start.get(), log, listeners.apply(table)));
      }
    }
    log.forEach(this::accept);
    works.values().forEach(this::finish);
  }

  private TableWork work(
      TableReading table, Position start, CommitLog log, TableLog.RangeListener listener) {
    Differences own = new Differences();
    String name = table.table().name();
    checkRewinds(log.rewinds(name), own);
    TableLog tableLog =
        new TableLog(
            table.view().orElseThrow().uuid(),
            start,
            table.table().hasAmounts(),
            log.repairs(name),
            KeptSnapshots.of(table.contents().orElseThrow().table(), own),
            listener,
            own);
    return new TableWork(table, tableLog, own);
  }

  /** Only a person may accept that a lake was set back (C8). */
  private void checkRewinds(List<CommitLog.Rewind> rewinds, Differences own) {
    for (CommitLog.Rewind rewind : rewinds) {
      boolean accepted =
          reading.events().acceptedRewinds().stream().anyMatch(to -> rewind.from().isAtOrBelow(to));
      if (!accepted) {
        own.add(
            "the commit log goes back from "
                + rewind.end()
                + " to "
                + rewind.from()
                + " at offset "
                + rewind.offset()
                + ", and nobody accepted that the lake was set back");
      }
    }
  }

  private void accept(TableEvent event) {
    TableWork work = works.get(event.table());
    if (work == null) {
      reportUnknown(event);
      return;
    }
    Optional<Position> tableEnd = work.state().to();
    if (tableEnd.isPresent() && event.to().isAtOrBelow(tableEnd.get())) {
      work.log().accept(event);
    }
  }

  private void reportUnknown(TableEvent event) {
    boolean inLayout =
        identity.tables().stream().anyMatch(table -> table.name().equals(event.table()));
    if (!inLayout) {
      differences.add(
          "the commit log has the range up to "
              + event.to()
              + " of table "
              + event.table()
              + ", which the layout does not have");
    }
  }

  private void finish(TableWork work) {
    takeUnpublished(work);
    work.log().finish();
    checkEnd(work);
    checkChain(work);
  }

  /** A crash between commit and event leaves a range that is above W and not in the log yet. */
  private void takeUnpublished(TableWork work) {
    Optional<RangeState> last = work.state().range();
    boolean unpublished =
        reading.aheadAt(work.reading()).isPresent()
            && last.isPresent()
            && last.get().range().from().equals(work.log().end());
    if (unpublished) {
      work.takeUnpublished(last.get());
    }
  }

  private void checkEnd(TableWork work) {
    Position end = work.state().to().orElse(work.log().end());
    if (!end.equals(work.log().end())) {
      work.differences()
          .add(
              "the commit log's ranges end at "
                  + work.log().end()
                  + ", and the table's state at "
                  + end);
    }
  }

  private void checkChain(TableWork work) {
    if (!work.log().chain().equals(work.state().chain())) {
      work.differences()
          .add(
              "the chain over the commit log's digests is "
                  + work.log().chain()
                  + ", and the table's is "
                  + work.state().chain());
    }
  }
}
