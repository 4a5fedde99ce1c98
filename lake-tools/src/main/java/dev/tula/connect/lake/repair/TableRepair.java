package dev.tula.connect.lake.repair;

import dev.tula.connect.lake.maintain.DeleteFiles;
import dev.tula.connect.lake.maintain.ExchangeCommit;
import dev.tula.connect.lake.maintain.ListedFile;
import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.lake.reconcile.LoggedRange;
import dev.tula.connect.lake.state.Retries;
import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.model.RangeDigest;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.model.RowSchema;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.model.event.RepairEvent.RepairedRange;
import dev.tula.connect.sink.engine.FileExchange;
import dev.tula.connect.sink.engine.LogicalTable;
import dev.tula.connect.sink.engine.StagedFile;
import dev.tula.connect.sink.engine.StagedFileName;
import dev.tula.connect.sink.engine.TableRows;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.engine.TableView;
import dev.tula.connect.sink.engine.WriterClaim;
import dev.tula.connect.sink.lake.IcebergLake;
import dev.tula.connect.sink.lake.IcebergLake.FoundRow;
import dev.tula.connect.sink.lake.ListedDataFile;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Puts one table right in one commit. Every position that is wrong is taken out of every file, and
 * its row, if there is one, put in once. Before anything is written, the digests of the ranges
 * concerned are computed as they would be: they must be those that were committed, and the table
 * must come to as many rows as its state says. So a repair restores, and never changes, history.
 *
 * <p>For one thread, and used once.
 */
final class TableRepair {
  /** A range's rows were in its writer's memory once. */
  private static final int SURPLUS_ROWS = 500_000;

  private final IcebergLake lake;
  private final LogicalTable table;
  private final String name;
  private final StreamIdentity stream;
  private final Damage damage;
  private final String writerId = "repair-" + UUID.randomUUID();

  /**
   * @param lake the partition's
   * @param table which table
   * @param name its name in the catalog
   * @param stream whose
   * @param damage what is wrong; something is
   */
  TableRepair(
      IcebergLake lake, LogicalTable table, String name, StreamIdentity stream, Damage damage) {
    this.lake = lake;
    this.table = table;
    this.name = name;
    this.stream = stream;
    this.damage = damage;
  }

  /** The committed ranges in which something is wrong. */
  List<LoggedRange> concerned(List<LoggedRange> logged) {
    List<LoggedRange> concerned = new ArrayList<>();
    TreeSet<Position> wrong = new TreeSet<>(damage.positions());
    for (LoggedRange range : logged) {
      Position next = wrong.higher(range.range().from());
      if (next != null && next.isAtOrBelow(range.range().to())) {
        concerned.add(range);
      }
    }
    return concerned;
  }

  /**
   * Checks that what would be restored is what was committed.
   *
   * @throws ToolException naming the range, if it is not; or if the table has delete files
   */
  void check(IcebergLake.Contents contents, List<LoggedRange> concerned) {
    DeleteFiles.refuse(contents.table(), name, "Nothing was changed");
    for (LoggedRange range : concerned) {
      String digest = restored(contents, range);
      if (!digest.equals(range.digest())) {
        throw ToolException.error(
            "table "
                + name
                + ": with the ledger's rows the range "
                + range.range()
                + " would have digest "
                + digest
                + ", and "
                + range.digest()
                + " was committed. If more of it is damaged, repair all of it; else ledger, stream"
                + " and transforms are to be looked at, and not the lake. Nothing was changed");
      }
    }
    checkRows(contents.view());
  }

  private void checkRows(TableView view) {
    long stated = view.property().orElseThrow().totalRows();
    long after = view.totalRecords() - damage.surplus();
    if (after != stated) {
      throw ToolException.error(
          "table "
              + name
              + " would have "
              + after
              + " rows after this repair, and its state says "
              + stated
              + ": something is wrong outside of the range as well. Name a wider one; nothing was"
              + " changed");
    }
  }

  private String restored(IcebergLake.Contents contents, LoggedRange logged) {
    int maxRows = Math.toIntExact(Math.min(Integer.MAX_VALUE - 8, logged.rows() + SURPLUS_ROWS));
    List<FoundRow> found =
        Retries.call(() -> lake.find(contents, table.name(), logged.range(), maxRows));
    List<CanonicalRow> rows = new ArrayList<>();
    for (FoundRow row : found) {
      if (!damage.positions().contains(row.position())) {
        rows.add(
            row.row()
                .orElseThrow(
                    () ->
                        ToolException.error(
                            "table "
                                + name
                                + ": the row at "
                                + row.position()
                                + " is damaged and outside of the range to be repaired. Name a"
                                + " wider one")));
      }
    }
    damage.rows().stream()
        .filter(row -> logged.range().contains(row.position()))
        .forEach(rows::add);
    rows.sort(Comparator.comparing(CanonicalRow::position));
    RangeDigest digest = RangeDigest.begin(stream, table.name(), logged.range());
    rows.forEach(digest::add);
    return HexFormat.of().formatHex(digest.finish());
  }

  /**
   * Commits it.
   *
   * @return the snapshot that did it
   */
  long commit(IcebergLake.Contents planned) {
    WriterClaim claim = planned.view().property().orElseThrow().claim();
    return new ExchangeCommit(lake, name, write(planned, claim), ExchangeCommit.Kind.REPAIR)
        .run(this::load);
  }

  private IcebergLake.Contents load() {
    IcebergLake.Contents contents =
        Retries.call(() -> lake.contents(table.name()))
            .orElseThrow(() -> ToolException.error("table " + name + " is missing"));
    if (contents.view().property().isEmpty()) {
      throw ToolException.error("table " + name + " has lost its state");
    }
    return contents;
  }

  private FileExchange write(IcebergLake.Contents contents, WriterClaim claim) {
    TreeSet<Position> wrong = new TreeSet<>(damage.present());
    Position last = new TreeSet<>(damage.positions()).last();
    List<ListedDataFile> replaced = new ArrayList<>();
    List<StagedFile> by = new ArrayList<>();
    for (ListedFile listed : ListedFile.all(contents.table(), name)) {
      if (mayHold(listed, wrong)) {
        String fileName = fileName(claim, last);
        rewrite(contents, fileName, new ListedDataFile(listed.file()), wrong, replaced, by);
      }
    }
    List<CanonicalRow> rows = damage.rows();
    if (!rows.isEmpty()) {
      by.add(Retries.call(() -> lake.stage(table.name(), fileName(claim, last), rows(rows))));
    }
    return new FileExchange(table.name(), claim, replaced, by);
  }

  private void rewrite(
      IcebergLake.Contents contents,
      String fileName,
      ListedDataFile file,
      TreeSet<Position> wrong,
      List<ListedDataFile> replaced,
      List<StagedFile> by) {
    IcebergLake.RewrittenFile without =
        Retries.call(() -> lake.rewriteWithout(contents, table.name(), file, wrong, fileName));
    if (without.rows().rows() == file.rows()) {
      return; // nothing wrong was in it; what was written stays an orphan
    }
    replaced.add(file);
    if (without.rows().rows() > 0) {
      by.add(without.file());
    }
  }

  /** Whether a file may have a row at one of these positions, as far as its metrics tell. */
  private static boolean mayHold(ListedFile file, TreeSet<Position> wrong) {
    if (file.firstBatch().isEmpty() || file.lastBatch().isEmpty()) {
      return true;
    }
    Position next = wrong.higher(Position.batchEnd(Math.max(0, file.firstBatch().get() - 1)));
    return next != null && next.globalBatchSeq() <= file.lastBatch().get();
  }

  private String fileName(WriterClaim claim, Position last) {
    return StagedFileName.of(
        new WriterClaim(claim.epoch(), claim.number(), writerId),
        table.name(),
        last,
        UUID.randomUUID().toString());
  }

  private TableRows rows(List<CanonicalRow> of) {
    TableRows rows = new TableRows();
    RowReader reader = new RowReader();
    for (CanonicalRow row : of) {
      if (table.hasAmounts()) {
        reader.wrap(row);
        rows.add(
            row,
            reader.amountHigh(RowSchema.AMOUNT_FIELD),
            reader.amountLow(RowSchema.AMOUNT_FIELD));
      } else {
        rows.add(row);
      }
    }
    return rows;
  }

  /** What the commit log is told. */
  List<LakeEvent> events(IcebergLake.Contents after, List<LoggedRange> concerned, long snapshotId) {
    TableState state = after.view().property().orElseThrow();
    return RepairEvents.of(
        EventIdentity.of(stream),
        table.name(),
        writerId,
        concerned.stream().map(TableRepair::repaired).toList(),
        state.totalRows(),
        state.claim(),
        snapshotId,
        Instant.now());
  }

  private static RepairedRange repaired(LoggedRange logged) {
    return new RepairedRange(
        logged.range().from(),
        logged.range().to(),
        logged.digest(),
        logged.rows(),
        logged.amountSum());
  }

  /** Them without what was logged of them. */
  static List<Range> ranges(List<LoggedRange> logged) {
    return logged.stream().map(LoggedRange::range).toList();
  }
}
