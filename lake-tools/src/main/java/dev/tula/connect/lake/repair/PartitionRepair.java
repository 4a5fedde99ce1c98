package dev.tula.connect.lake.repair;

import dev.tula.connect.lake.output.Progress;
import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.lake.reconcile.LoggedRange;
import dev.tula.connect.lake.state.PartitionReading;
import dev.tula.connect.lake.state.Retries;
import dev.tula.connect.lake.state.TableReading;
import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Range;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.sink.engine.EventLog;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.LogicalTable;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.engine.TableAtWatermark;
import dev.tula.connect.sink.engine.TableView;
import dev.tula.connect.sink.lake.IcebergLake;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Repairs a range of one partition: reads it from the ledger, compares every table with it, puts
 * the tables right one by one, and compares again.
 *
 * <p>For one thread, and used once.
 */
public final class PartitionRepair {
  /** A table may have some rows too many in a stretch, but not any number. */
  private static final int SURPLUS_ROWS = 500_000;

  /** So many are compared at a time, or a page more. */
  private static final int ROWS_AT_A_TIME = 100_000;

  private final PipelineIdentity identity;
  private final IcebergLake lake;
  private final PartitionReading reading;
  private final Range range;
  private final LedgerRows ledger;
  private final Supplier<EventLog> events;
  private final Progress progress;

  /** One table while it is compared. */
  private static final class Work {
    private final TableReading reading;
    private final IcebergLake.Contents contents;
    private final Damage damage;
    private long expected;

    Work(TableReading reading, IcebergLake.Contents contents) {
      this.reading = reading;
      this.contents = contents;
      this.damage = new Damage(reading.name());
    }

    String table() {
      return reading.table().name();
    }
  }

  /**
   * @param identity the pipeline
   * @param lake the partition's
   * @param reading the partition
   * @param range what to repair; at or below the watermark
   * @param ledger where the rows come from
   * @param events where repairs are published
   * @param progress shows how far it has come
   */
  public PartitionRepair(
      PipelineIdentity identity,
      IcebergLake lake,
      PartitionReading reading,
      Range range,
      LedgerRows ledger,
      Supplier<EventLog> events,
      Progress progress) {
    this.identity = identity;
    this.lake = lake;
    this.reading = reading;
    this.range = range;
    this.ledger = ledger;
    this.events = events;
    this.progress = progress;
  }

  /**
   * Compares, and repairs what is wrong.
   *
   * @param logged the committed ranges of each table that have to do with the range
   * @param dryRun whether only to compare
   */
  public List<RepairResult> run(Map<String, List<LoggedRange>> logged, boolean dryRun) {
    Map<String, Work> works = compare("compared");
    List<RepairResult> results = new ArrayList<>();
    boolean repaired = false;
    for (Work work : works.values()) {
      RepairResult result = run(work, logged.getOrDefault(work.table(), List.of()), dryRun);
      repaired |= result.snapshotId().isPresent();
      results.add(result);
    }
    return repaired ? checked(results) : results;
  }

  private RepairResult run(Work work, List<LoggedRange> logged, boolean dryRun) {
    if (work.damage.isNone()) {
      return result(work, List.of(), Optional.empty(), Optional.empty());
    }
    TableRepair repair =
        new TableRepair(
            lake,
            work.reading.table(),
            work.reading.name(),
            identity.stream(reading.partition()),
            work.damage);
    List<LoggedRange> concerned = repair.concerned(logged);
    try {
      repair.check(work.contents, concerned);
      if (dryRun) {
        return result(work, TableRepair.ranges(concerned), Optional.empty(), Optional.empty());
      }
      long snapshotId = repair.commit(work.contents);
      List<LakeEvent> told = repair.events(contents(work.reading), concerned, snapshotId);
      Retries.call(
          () -> {
            events.get().publish(told);
            return true;
          });
      return result(work, TableRepair.ranges(concerned), Optional.of(snapshotId), Optional.empty());
    } catch (ToolException | LakeException e) {
      return result(
          work, TableRepair.ranges(concerned), Optional.empty(), Optional.of(e.getMessage()));
    }
  }

  /** Each expected row is there exactly once, or the repair has a problem. */
  private List<RepairResult> checked(List<RepairResult> results) {
    Map<String, Work> again = compare("compared again");
    List<RepairResult> checked = new ArrayList<>();
    for (RepairResult result : results) {
      Work work = again.get(result.table());
      boolean wrong = result.snapshotId().isPresent() && !work.damage.isNone();
      checked.add(
          wrong
              ? new RepairResult(
                  result.partition(),
                  result.table(),
                  result.name(),
                  result.expected(),
                  result.missing(),
                  result.doubled(),
                  result.altered(),
                  result.unexpected(),
                  result.ranges(),
                  result.snapshotId(),
                  Optional.of(
                      "table "
                          + result.name()
                          + " has "
                          + work.damage.positions().size()
                          + " positions that are still not as the ledger has them"))
              : result);
    }
    return checked;
  }

  private RepairResult result(
      Work work, List<Range> ranges, Optional<Long> snapshotId, Optional<String> problem) {
    Damage damage = work.damage;
    return new RepairResult(
        reading.partition(),
        work.table(),
        work.reading.name(),
        work.expected,
        damage.missing(),
        damage.doubled(),
        damage.altered(),
        damage.unexpected(),
        ranges,
        snapshotId,
        problem);
  }

  private Map<String, Work> compare(String what) {
    Map<String, Work> works = new LinkedHashMap<>();
    for (TableReading table : reading.tables()) {
      works.put(table.table().name(), new Work(table, contents(table)));
    }
    Range left = range;
    long rows = 0;
    while (!left.isEmpty()) {
      LedgerRows.Stretch stretch = stretch(left);
      Map<String, List<CanonicalRow>> routed = route(stretch.rows());
      for (Work work : works.values()) {
        compare(work, stretch.covered(), routed.getOrDefault(work.table(), List.of()));
      }
      rows += stretch.rows().size();
      progress.show("partition " + reading.partition() + ": rows " + what, rows, 0);
      left = new Range(stretch.covered().to(), range.to());
    }
    return works;
  }

  /**
   * Several pages of the ledger as one, as every table is scanned for each stretch, and a compacted
   * file lies in many pages.
   */
  private LedgerRows.Stretch stretch(Range from) {
    List<CanonicalRow> rows = new ArrayList<>();
    Range left = from;
    while (!left.isEmpty() && rows.size() < ROWS_AT_A_TIME) {
      LedgerRows.Stretch page = ledger.next(left);
      rows.addAll(page.rows());
      left = new Range(page.covered().to(), from.to());
    }
    return new LedgerRows.Stretch(new Range(from.from(), left.from()), rows);
  }

  private void compare(Work work, Range covered, List<CanonicalRow> expected) {
    work.expected += expected.size();
    List<IcebergLake.FoundRow> found =
        Retries.call(
            () -> lake.find(work.contents, work.table(), covered, expected.size() + SURPLUS_ROWS));
    work.damage.compare(expected, found);
  }

  private Map<String, List<CanonicalRow>> route(List<CanonicalRow> rows) {
    Map<String, List<CanonicalRow>> routed = new LinkedHashMap<>();
    List<LogicalTable> tables = identity.tables();
    RowReader reader = new RowReader();
    for (CanonicalRow row : rows) {
      reader.wrap(row);
      String table = tables.get(identity.layout().route(row, reader)).name();
      routed.computeIfAbsent(table, any -> new ArrayList<>()).add(row);
    }
    return routed;
  }

  /** The table, if it is the one that is recorded and its state can be believed. */
  private IcebergLake.Contents contents(TableReading table) {
    IcebergLake.Contents contents =
        Retries.call(() -> lake.contents(table.table().name()))
            .orElseThrow(
                () ->
                    ToolException.error(
                        "table "
                            + table.name()
                            + " is missing, and a repair puts rows right, not tables"));
    TableView view = contents.view();
    TableAtWatermark then =
        reading.watermarkState().orElseThrow().tables().get(table.table().name());
    Optional<String> fault =
        then == null || !view.uuid().equals(then.uuid())
            ? Optional.of("it is not the table that the watermark names")
            : view.disagreementOfStates().or(view::schemaFault);
    if (fault.isEmpty() && view.property().isEmpty()) {
      fault = Optional.of("it has lost its state");
    }
    if (fault.isPresent()) {
      throw ToolException.error("table " + table.name() + " can't be repaired: " + fault.get());
    }
    return contents;
  }
}
