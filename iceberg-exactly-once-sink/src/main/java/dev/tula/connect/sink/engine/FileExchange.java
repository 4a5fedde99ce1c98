package dev.tula.connect.sink.engine;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Files of a table that are to take the place of others: what a compaction or a repair has written
 * and has yet to commit. They were staged under the claim that the table had. Under a newer one
 * they may be taken for a dead writer's (C28), so then nothing of it may be committed any more.
 *
 * @param table the table's logical name
 * @param claim what the table had when they were staged
 * @param replaced the files that go
 * @param by the files that come
 */
public record FileExchange(
    String table,
    WriterClaim claim,
    List<? extends TableFile> replaced,
    List<? extends StagedFile> by) {
  /** Copies the lists. */
  public FileExchange {
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(claim, "claim");
    replaced = List.copyOf(replaced);
    by = List.copyOf(by);
  }

  /** What is to be done about it. */
  public sealed interface Step {
    /** The table has it already (C16). */
    record Landed() implements Step {}

    /**
     * It has to be given up: a writer claimed the table.
     *
     * @param now its claim
     */
    record Overtaken(WriterClaim now) implements Step {}

    /**
     * It has to be given up: somebody else took away what it replaces.
     *
     * @param location of the first such file
     */
    record Rewritten(String location) implements Step {}

    /**
     * It has to be given up: with it the table would not come to as many rows as its state says, so
     * its rows are others than were found.
     *
     * @param after the rows that it would have
     * @param stated the rows that its state says
     */
    record OtherRows(long after, long stated) implements Step {}

    /** It may be committed. */
    record Ready() implements Step {}
  }

  /**
   * Looks at the table anew, before each attempt.
   *
   * @param view the table, which has a state
   * @param live the locations of all its files
   */
  public Step next(TableView view, Set<String> live) {
    TableState now = view.property().orElseThrow();
    boolean gone = replaced.stream().noneMatch(file -> live.contains(file.location()));
    // Where nothing comes, only the rows tell it from what somebody else rewrote.
    boolean there =
        by.isEmpty()
            ? view.totalRecords() == now.totalRows()
            : by.stream().allMatch(file -> live.contains(file.location()));
    if (gone && there) {
      return new Step.Landed();
    }
    if (!now.claim().equals(claim)) {
      return new Step.Overtaken(now.claim());
    }
    Optional<? extends TableFile> missing =
        replaced.stream().filter(file -> !live.contains(file.location())).findFirst();
    if (missing.isPresent()) {
      return new Step.Rewritten(missing.get().location());
    }
    long after = view.totalRecords() - rows(replaced) + rows(by);
    return after == now.totalRows() ? new Step.Ready() : new Step.OtherRows(after, now.totalRows());
  }

  private static long rows(List<? extends TableFile> files) {
    return files.stream().mapToLong(TableFile::rows).sum();
  }

  /**
   * The commit that exchanges files with the same rows.
   *
   * @param view the table that {@link #next} looked at
   * @param mainSnapshot its main's snapshot
   */
  public TableCommit rewrite(TableView view, long mainSnapshot) {
    return commit(
        view,
        CommitKind.COMPACT,
        new TableCommit.Change.Rewrite(
            mainSnapshot, List.<TableFile>copyOf(replaced), List.<StagedFile>copyOf(by)));
  }

  /**
   * The commit that puts rows right.
   *
   * @param view the table that {@link #next} looked at
   * @param mainSnapshot its main's snapshot
   */
  public TableCommit repair(TableView view, long mainSnapshot) {
    return commit(
        view,
        CommitKind.REPAIR,
        new TableCommit.Change.Repair(
            mainSnapshot,
            view.totalRecords(),
            List.<TableFile>copyOf(replaced),
            List.<StagedFile>copyOf(by)));
  }

  private TableCommit commit(TableView view, CommitKind kind, TableCommit.Change change) {
    TableState state = view.property().orElseThrow();
    return new TableCommit(
        table, view.uuid(), Optional.of(state), state.after(kind), change, Map.of());
  }
}
