package dev.tula.connect.lake.reconcile;

import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.lake.state.Retries;
import dev.tula.connect.lake.state.TableReading;
import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Chain;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.model.RangeDigest;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.lake.ChangedRowsException;
import dev.tula.connect.sink.lake.IcebergLake;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;

/**
 * Recomputes the digests of one table's ranges from its rows. Ranges are read a few at a time, in
 * order, wherever in the table's files their rows are; so memory holds no more than a writer held
 * when it committed them. Not thread-safe.
 */
final class DigestCheck implements TableLog.RangeListener {
  /** What is read at a time; a single range may have more. */
  static final int MAX_ROWS = 250_000;

  private static final int MAX_RANGES = 10_000;

  /** Rows too many by more than this are counted no further. */
  private static final int SURPLUS_ROWS = 10_000;

  /** A table is loaded anew when a cleanup takes files away, which no job does more often. */
  private static final int MAX_RELOADS = 100;

  private final IcebergLake lake;
  private final TableReading reading;
  private final StreamIdentity stream;
  private final LongConsumer progress;
  private final Differences differences = new Differences();
  private final List<LoggedRange> pending = new ArrayList<>();
  private IcebergLake.Contents contents;
  private long pendingRows;
  private int reloads;
  private long ranges;
  private long rows;
  private Chain chain = Chain.ZERO;
  private Optional<Range> firstDiffering = Optional.empty();
  private long differing;

  /** What a file that is gone is told by. */
  private static final class LostException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    LostException(LakeException cause) {
      super(cause.getMessage(), cause);
    }
  }

  /**
   * @param lake the table's
   * @param reading the table
   * @param stream whose
   * @param progress is told how many rows were read
   */
  DigestCheck(
      IcebergLake lake, TableReading reading, StreamIdentity stream, LongConsumer progress) {
    this.lake = lake;
    this.reading = reading;
    this.stream = stream;
    this.progress = progress;
    this.contents = reading.contents().orElseThrow();
  }

  @Override
  public void accept(LoggedRange range) {
    boolean full = pendingRows + range.rows() > MAX_ROWS || pending.size() == MAX_RANGES;
    if (full) {
      flush();
    }
    pending.add(range);
    pendingRows += range.rows();
  }

  /** Checks what was not checked yet. */
  void flush() {
    if (!pending.isEmpty()) {
      try {
        check(pending, read(pending));
      } catch (ChangedRowsException e) {
        pending.forEach(this::checkAlone);
      }
      pending.clear();
      pendingRows = 0;
      progress.accept(rows);
    }
  }

  /** Tells a range whose rows are beyond reading from its neighbours. */
  private void checkAlone(LoggedRange expected) {
    try {
      check(List.of(expected), read(List.of(expected)));
    } catch (ChangedRowsException e) {
      differs(expected.range(), "can't be made out: " + e.getMessage());
      ranges++;
    }
  }

  private Optional<List<CanonicalRow>> read(List<LoggedRange> of) {
    Range whole = new Range(of.get(0).range().from(), of.get(of.size() - 1).range().to());
    long expected = of.stream().mapToLong(LoggedRange::rows).sum();
    int maxRows = Math.toIntExact(Math.min(Integer.MAX_VALUE - 8, expected + SURPLUS_ROWS));
    while (true) {
      try {
        return Optional.of(Retries.call(() -> readOnce(whole, maxRows)));
      } catch (LostException e) {
        if (!reload()) {
          differs(of.get(0).range(), "can't be read: " + e.getMessage());
          ranges += of.size();
          return Optional.empty();
        }
      }
    }
  }

  private List<CanonicalRow> readOnce(Range range, int maxRows) {
    try {
      return lake.read(contents, reading.table().name(), range, maxRows);
    } catch (LakeException e) {
      throw LostFiles.isLost(e) ? new LostException(e) : e;
    }
  }

  /** Whether the table is another by now, so that what is gone may not be missed. */
  private boolean reload() {
    IcebergLake.Contents now =
        Retries.call(() -> lake.contents(reading.table().name()))
            .orElseThrow(
                () ->
                    ToolException.error(
                        "table " + reading.name() + " was dropped while it was read"));
    boolean changed =
        now.table().currentSnapshot().snapshotId()
            != contents.table().currentSnapshot().snapshotId();
    contents = now;
    if (changed && ++reloads > MAX_RELOADS) {
      throw ToolException.error(
          "table "
              + reading.name()
              + " lost files while it was read, "
              + reloads
              + " times. Pause what removes them, and run the command again");
    }
    return changed;
  }

  private void check(List<LoggedRange> of, Optional<List<CanonicalRow>> read) {
    if (read.isEmpty()) {
      return;
    }
    int next = 0;
    for (LoggedRange expected : of) {
      int from = next;
      while (next < read.get().size()
          && read.get().get(next).position().isAtOrBelow(expected.range().to())) {
        next++;
      }
      check(expected, read.get().subList(from, next));
    }
  }

  private void check(LoggedRange expected, List<CanonicalRow> found) {
    RangeDigest digest = RangeDigest.begin(stream, reading.table().name(), expected.range());
    found.forEach(digest::add);
    String hex = HexFormat.of().formatHex(digest.finish());
    ranges++;
    rows += found.size();
    chain = chain.next(expected.first().orElse(hex));
    if (!hex.equals(expected.digest())) {
      differs(
          expected.range(),
          "has "
              + found.size()
              + " rows with digest "
              + hex
              + " in the table, and "
              + expected.rows()
              + " with "
              + expected.digest()
              + " in the commit log"
              + duplicate(found).map(at -> "; position " + at + " is there twice").orElse(""));
    }
  }

  private static Optional<Position> duplicate(List<CanonicalRow> found) {
    for (int i = 1; i < found.size(); i++) {
      if (found.get(i).position().equals(found.get(i - 1).position())) {
        return Optional.of(found.get(i).position());
      }
    }
    return Optional.empty();
  }

  private void differs(Range range, String what) {
    differing++;
    firstDiffering = firstDiffering.or(() -> Optional.of(range));
    differences.add("the range " + range + " " + what);
  }

  /** What came of it, once every range was checked. */
  VerifiedTable result(TableWork work) {
    Differences all = work.differences();
    differences.toList().forEach(all::add);
    long there = reading.view().orElseThrow().totalRecords();
    if (firstDiffering.isEmpty() && rows != there) {
      all.add(
          "it has " + there + " rows, of which " + (there - rows) + " lie in no range of the log");
    }
    if (firstDiffering.isEmpty() && !chain.equals(work.state().chain())) {
      all.add(
          "the chain over its rows is "
              + chain
              + ", and the one in its state is "
              + work.state().chain());
    }
    return new VerifiedTable(
        reading.table().name(),
        reading.name(),
        ranges,
        work.log().repairedRanges(),
        rows,
        chain,
        firstDiffering,
        differing,
        all.toList());
  }
}
