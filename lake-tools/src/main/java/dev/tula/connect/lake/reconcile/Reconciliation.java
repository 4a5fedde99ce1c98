package dev.tula.connect.lake.reconcile;

import dev.tula.connect.lake.output.Progress;
import dev.tula.connect.lake.state.EventTopic;
import dev.tula.connect.lake.state.PartitionReading;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.lake.RowSums;
import java.util.Optional;

/**
 * Reconciles one partition: the commit log against each table's state and rows.
 *
 * <p>For one thread, and used once.
 */
public final class Reconciliation {
  private static final int MAX_MISMATCHES_SHOWN = 5;

  private final PartitionReading reading;
  private final Progress progress;

  private Reconciliation(PartitionReading reading, Progress progress) {
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
  public static CheckedPartition<TableResult> run(
      PipelineIdentity identity, PartitionReading reading, EventTopic commits, Progress progress) {
    progress.show("partition " + reading.partition() + ": reading the commit log", 0, 0);
    LogReplay replay = new LogReplay(identity, reading);
    replay.run(commits, table -> TableLog.RangeListener.NONE);
    Reconciliation reconciliation = new Reconciliation(reading, progress);
    return new CheckedPartition<>(
        reading.partition(),
        reading.position(),
        replay.works().stream().map(reconciliation::result).toList(),
        replay.differences().toList());
  }

  private TableResult result(TableWork work) {
    TableLog log = work.log();
    RowSums logged = work.logged();
    if (!logged.equals(work.stated())) {
      work.differences()
          .add(
              "the commit log adds up to "
                  + logged
                  + ", and the table's state says "
                  + work.stated());
    }
    Optional<RowSums> found = scan(work);
    return new TableResult(
        work.reading().table().name(),
        work.reading().name(),
        log.ranges(),
        log.repairedRanges(),
        logged,
        Optional.of(work.stated()),
        found,
        work.unpublished(),
        work.differences().toList());
  }

  private Optional<RowSums> scan(TableWork work) {
    TableLog log = work.log();
    TableScan scan =
        new TableScan(
            work.table(),
            work.reading().name(),
            work.reading().table().hasAmounts(),
            log.sections(),
            work.differences());
    String what = "partition " + reading.partition() + ": rows of " + work.reading().name();
    if (!scan.run(rows -> progress.show(what, rows, log.rows()))) {
      return Optional.empty();
    }
    RowSums found = work.sums(scan.rows(), scan.amountSum());
    RowSums logged = work.logged();
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
        .forEach(mismatch -> work.differences().add(words(work, mismatch)));
    return Optional.of(found);
  }

  private static String words(TableWork work, Sections.Mismatch mismatch) {
    return "in the range "
        + mismatch.range()
        + " the table has "
        + work.sums(mismatch.foundRows(), mismatch.foundSum())
        + ", and the commit log says "
        + work.sums(mismatch.loggedRows(), mismatch.loggedSum());
  }
}
