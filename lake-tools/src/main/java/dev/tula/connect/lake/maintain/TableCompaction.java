package dev.tula.connect.lake.maintain;

import dev.tula.connect.lake.maintain.FileGroups.Group;
import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.lake.state.Retries;
import dev.tula.connect.model.Range;
import dev.tula.connect.sink.engine.FileExchange;
import dev.tula.connect.sink.engine.LogicalTable;
import dev.tula.connect.sink.engine.StagedFile;
import dev.tula.connect.sink.engine.StagedFileName;
import dev.tula.connect.sink.engine.TableView;
import dev.tula.connect.sink.engine.WriterClaim;
import dev.tula.connect.sink.lake.ChangedRowsException;
import dev.tula.connect.sink.lake.IcebergLake;
import dev.tula.connect.sink.lake.RowSums;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongConsumer;

/**
 * Rewrites the small files of one table's cold range into larger ones, rows in position order.
 * Files are written aside first, under the claim that the table has; the commit that exchanges them
 * carries the table's state on (C14) and lands only on the snapshot that it was derived from. If a
 * writer claims the table in between, what was written may be taken for a dead writer's (C28), so
 * the compaction gives up.
 *
 * <p>For one thread, and used once.
 */
public final class TableCompaction {
  /** So that a long compaction that is interrupted has done something, in few snapshots. */
  private static final int GROUPS_PER_COMMIT = 20;

  private final IcebergLake lake;
  private final int partition;
  private final LogicalTable table;
  private final String name;
  private final Range cold;
  private final long targetBytes;
  private final LongConsumer progress;
  private final String writerId = "compact-" + UUID.randomUUID();
  private final List<String> notes = new ArrayList<>();
  private WriterClaim claim;
  private long rewritten;
  private long written;
  private long bytes;
  private long rows;

  /** A group and the file that is to take its place. */
  private record Exchange(Group group, StagedFile by) {}

  /**
   * @param lake the partition's
   * @param partition the export partition
   * @param table which table
   * @param name its name in the catalog
   * @param cold only rows in it are touched; it lies at or below the watermark
   * @param targetBytes how large files may become
   * @param progress is told how many rows were rewritten
   */
  public TableCompaction(
      IcebergLake lake,
      int partition,
      LogicalTable table,
      String name,
      Range cold,
      long targetBytes,
      LongConsumer progress) {
    this.lake = lake;
    this.partition = partition;
    this.table = table;
    this.name = name;
    this.cold = cold;
    this.targetBytes = targetBytes;
    this.progress = progress;
  }

  /** What there is to do. */
  public CompactionResult plan() {
    IcebergLake.Contents contents = compactable();
    for (Group group : groups(contents)) {
      count(group);
    }
    return result(contents, Optional.empty(), Optional.empty(), Optional.empty());
  }

  /** Does it. */
  public CompactionResult execute() {
    IcebergLake.Contents before = compactable();
    claim = before.view().property().orElseThrow().claim();
    List<Group> groups = groups(before);
    if (groups.isEmpty()) {
      return result(before, Optional.empty(), Optional.empty(), Optional.empty());
    }
    RowSums sumsBefore = sums(before);
    List<Exchange> exchanges = new ArrayList<>();
    for (Group group : groups) {
      write(before, group).ifPresent(exchanges::add);
      if (exchanges.size() == GROUPS_PER_COMMIT) {
        commit(exchanges);
        exchanges.clear();
      }
    }
    if (!exchanges.isEmpty()) {
      commit(exchanges);
    }
    RowSums sumsAfter = sums(sound());
    return result(
        before, Optional.of(sumsBefore), Optional.of(sumsAfter), difference(sumsBefore, sumsAfter));
  }

  private Optional<String> difference(RowSums before, RowSums after) {
    return before.equals(after)
        ? Optional.empty()
        : Optional.of(
            "table "
                + name
                + " has "
                + after
                + " in the range "
                + cold
                + ", and had "
                + before
                + " before. Keep its snapshots, and see what differs with tula-lake verify");
  }

  private RowSums sums(IcebergLake.Contents contents) {
    return Retries.call(() -> lake.sums(contents, table.name(), cold));
  }

  private List<Group> groups(IcebergLake.Contents contents) {
    return contents.table().currentSnapshot() == null
        ? List.of()
        : FileGroups.of(ListedFile.all(contents.table(), name), cold, targetBytes);
  }

  private void count(Group group) {
    rewritten += group.files().size();
    written++;
    bytes += group.bytes();
    rows += group.rows();
  }

  /** Absent if the group has to stay as it is. */
  private Optional<Exchange> write(IcebergLake.Contents contents, Group group) {
    String fileName =
        StagedFileName.of(
            new WriterClaim(claim.epoch(), claim.number(), writerId),
            table.name(),
            group.last(),
            UUID.randomUUID().toString());
    IcebergLake.RewrittenFile file;
    try {
      file = Retries.call(() -> lake.rewrite(contents, table.name(), group.files(), fileName));
    } catch (ChangedRowsException e) {
      notes.add(group.files().size() + " files were left as they are: " + e.getMessage());
      return Optional.empty();
    }
    if (file.rows().rows() != group.rows()) {
      throw ToolException.error(
          "table "
              + name
              + ": files that list "
              + group.rows()
              + " rows have "
              + file.rows().rows()
              + ". Nothing was exchanged; see tula-lake verify");
    }
    progress.accept(rows + group.rows());
    return Optional.of(new Exchange(group, file.file()));
  }

  private void commit(List<Exchange> exchanges) {
    FileExchange all =
        new FileExchange(
            table.name(),
            claim,
            exchanges.stream().flatMap(each -> each.group().files().stream()).toList(),
            exchanges.stream().map(Exchange::by).toList());
    new ExchangeCommit(lake, name, all, ExchangeCommit.Kind.COMPACTION).run(this::sound);
    exchanges.forEach(each -> count(each.group()));
  }

  /** The table, if it is one that may be touched. */
  private IcebergLake.Contents sound() {
    IcebergLake.Contents contents =
        Retries.call(() -> lake.contents(table.name()))
            .orElseThrow(() -> ToolException.error("table " + name + " is missing"));
    TableView view = contents.view();
    Optional<String> fault =
        view.property().isEmpty()
            ? Optional.of("it has no state of ours")
            : view.disagreement().or(view::schemaFault);
    if (fault.isPresent()) {
      throw ToolException.error("table " + name + " is left alone: " + fault.get());
    }
    return contents;
  }

  /** The table, if its files hold its rows and no others. */
  private IcebergLake.Contents compactable() {
    IcebergLake.Contents contents = sound();
    DeleteFiles.refuse(contents.table(), name, "Nothing was changed");
    return contents;
  }

  private CompactionResult result(
      IcebergLake.Contents contents,
      Optional<RowSums> before,
      Optional<RowSums> after,
      Optional<String> problem) {
    return result(ListedFile.locations(contents.table(), name).size(), before, after, problem);
  }

  private CompactionResult result(
      long files, Optional<RowSums> before, Optional<RowSums> after, Optional<String> problem) {
    return new CompactionResult(
        partition,
        table.name(),
        name,
        files,
        rewritten,
        written,
        bytes,
        rows,
        before,
        after,
        List.copyOf(notes),
        problem);
  }

  /** What was done before it failed. */
  public CompactionResult failed(String problem) {
    return result(0, Optional.empty(), Optional.empty(), Optional.of(problem));
  }
}
