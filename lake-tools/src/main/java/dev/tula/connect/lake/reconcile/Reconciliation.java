package dev.tula.connect.lake.reconcile;

import dev.tula.connect.lake.output.Progress;
import dev.tula.connect.lake.reconcile.TableResult.Totals;
import dev.tula.connect.lake.state.EventTopic;
import dev.tula.connect.lake.state.PartitionChecks;
import dev.tula.connect.lake.state.PartitionReading;
import dev.tula.connect.lake.state.TableReading;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.event.TableEvent;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.engine.RangeState;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.engine.WatermarkState;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.iceberg.Table;

/**
 * Reconciles one partition. The tables were read first and the log is read after them, so whatever
 * a table holds up to the watermark is in the log (C19); what was logged of ranges that the tables
 * did not have yet is left out.
 *
 * <p>For one thread, and used once.
 */
public final class Reconciliation {
  private static final int MAX_MISMATCHES_SHOWN = 5;

  private final PipelineIdentity identity;
  private final PartitionReading reading;
  private final Progress progress;
  private final Map<String, TableWork> works = new LinkedHashMap<>();
  private final Differences differences = new Differences();

  /** One table while it is worked on. */
  private record TableWork(
      TableReading reading, TableState state, Differences differences, TableLog log) {
    Table table() {
      return reading.contents().orElseThrow().table();
    }
  }

  private Reconciliation(PipelineIdentity identity, PartitionReading reading, Progress progress) {
    this.identity = identity;
    this.reading = reading;
    this.progress = progress;
  }

  /**
   * Reconciles.
   *
   * @param identity the pipeline
   * @param reading the partition's tables
   * @param commits the commits topic
   * @param progress shows how far it has come
   */
  public static PartitionResult run(
      PipelineIdentity identity, PartitionReading reading, EventTopic commits, Progress progress) {
    return new Reconciliation(identity, reading, progress).run(commits);
  }

  private PartitionResult run(EventTopic commits) {
    PartitionChecks.problems(identity, reading).forEach(differences::add);
    Optional<Position> start = reading.watermarkState().flatMap(WatermarkState::startFrom);
    if (start.isEmpty()) {
      differences.add("no watermark was published yet, so there is nothing to reconcile");
      return result(List.of());
    }
    progress.show("partition " + reading.partition() + ": reading the commit log", 0, 0);
    CommitLog log = CommitLog.open(commits, EventIdentity.of(identity.stream(reading.partition())));
    log.malformed().ifPresent(differences::add);
    for (TableReading table : reading.tables()) {
      if (table.state().isPresent()) {
        works.put(table.table().name(), work(table, start.get(), log));
      }
    }
    log.forEach(this::accept);
    List<TableResult> results = new ArrayList<>();
    works.values().forEach(work -> results.add(finish(work)));
    return result(results);
  }

  private PartitionResult result(List<TableResult> tables) {
    return new PartitionResult(
        reading.partition(), reading.position(), tables, differences.toList());
  }

  private TableWork work(TableReading table, Position start, CommitLog log) {
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
            own);
    return new TableWork(table, table.state().orElseThrow(), own, tableLog);
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

  private TableResult finish(TableWork work) {
    TableLog log = work.log();
    boolean unpublished = takeUnpublished(work);
    log.finish();
    checkEnd(work);
    checkState(work);
    Optional<Totals> found = scan(work);
    boolean amounts = work.reading().table().hasAmounts();
    return new TableResult(
        work.reading().table().name(),
        work.reading().name(),
        log.ranges(),
        log.repairedRanges(),
        totals(log.rows(), log.amountSum(), amounts),
        Optional.of(new Totals(work.state().totalRows(), work.state().totalAmountSum())),
        found,
        unpublished,
        work.differences().toList());
  }

  /** A crash between commit and event leaves a range that is above W and not in the log yet. */
  private boolean takeUnpublished(TableWork work) {
    Optional<RangeState> last = work.state().range();
    boolean unpublished =
        reading.aheadAt(work.reading()).isPresent()
            && last.isPresent()
            && last.get().range().from().equals(work.log().end());
    if (unpublished) {
      work.log().extendUnpublished(last.get());
    }
    return unpublished;
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

  private void checkState(TableWork work) {
    TableState state = work.state();
    TableLog log = work.log();
    if (!log.chain().equals(state.chain())) {
      work.differences()
          .add(
              "the chain over the commit log's digests is "
                  + log.chain()
                  + ", and the table's is "
                  + state.chain());
    }
    Totals logged = totals(log.rows(), log.amountSum(), work.reading().table().hasAmounts());
    Totals stated = new Totals(state.totalRows(), state.totalAmountSum());
    if (!logged.equals(stated)) {
      work.differences()
          .add("the commit log adds up to " + logged + ", and the table's state says " + stated);
    }
  }

  private Optional<Totals> scan(TableWork work) {
    boolean amounts = work.reading().table().hasAmounts();
    TableLog log = work.log();
    TableScan scan =
        new TableScan(
            work.table(), work.reading().name(), amounts, log.sections(), work.differences());
    String what = "partition " + reading.partition() + ": rows of " + work.reading().name();
    if (!scan.run(rows -> progress.show(what, rows, log.rows()))) {
      return Optional.empty();
    }
    Totals found = totals(scan.rows(), scan.amountSum(), amounts);
    Totals logged = totals(log.rows(), log.amountSum(), amounts);
    if (!found.equals(logged)) {
      work.differences()
          .add("the table has " + found + ", and the commit log adds up to " + logged);
    }
    if (log.sections().rowsOutside() > 0) {
      work.differences()
          .add(log.sections().rowsOutside() + " of its rows lie in no range of the commit log");
    }
    log.sections().mismatches().stream()
        .limit(MAX_MISMATCHES_SHOWN)
        .forEach(mismatch -> work.differences().add(words(mismatch, amounts)));
    return Optional.of(found);
  }

  private static String words(Sections.Mismatch mismatch, boolean amounts) {
    return "in the range "
        + mismatch.range()
        + " the table has "
        + totals(mismatch.foundRows(), mismatch.foundSum(), amounts)
        + ", and the commit log says "
        + totals(mismatch.loggedRows(), mismatch.loggedSum(), amounts);
  }

  private static Totals totals(long rows, BigInteger sum, boolean amounts) {
    return new Totals(rows, amounts ? Optional.of(sum) : Optional.empty());
  }
}
