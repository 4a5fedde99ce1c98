package dev.tula.connect.lake.maintain;

import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.lake.state.Retries;
import dev.tula.connect.sink.engine.CommitKind;
import dev.tula.connect.sink.engine.Lake.CommitReply;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.TableAtWatermark;
import dev.tula.connect.sink.engine.TableCommit;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.engine.TableView;
import dev.tula.connect.sink.lake.IcebergLake;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotRef;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.FileInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cleans up one table. Snapshots are expired by a commit that derives everything from one load
 * (C14) and adds an empty snapshot of ours (C29); a plan is never carried over from one load to the
 * next. Files are deleted only afterwards, when the table, read again, does not lead to them.
 *
 * <p>For one thread, and used once.
 */
public final class TableCleanup {
  private static final Logger LOG = LoggerFactory.getLogger(TableCleanup.class);
  private static final int MAX_ATTEMPTS = 10;
  private static final int MAX_FAILURES = 3;

  private final IcebergLake lake;
  private final int partition;
  private final String table;
  private final String name;
  private final Retention retention;
  private final Optional<Instant> orphansOlderThan;
  private final Supplier<Optional<TableAtWatermark>> watermark;
  private final Deletion deletion;
  private Optional<IcebergLake.Contents> before = Optional.empty();
  private Optional<List<FileInfo>> orphans = Optional.empty();
  private long expired;
  private long expiredFiles;

  /**
   * @param lake the partition's
   * @param partition the export partition
   * @param table the table's logical name
   * @param name its name in the catalog
   * @param retention which snapshots stay
   * @param orphansOlderThan orphans that are younger stay; absent where they are not looked for
   * @param watermark reads the table as the watermark's state has it
   * @param progress is told how many files were deleted
   */
  public TableCleanup(
      IcebergLake lake,
      int partition,
      String table,
      String name,
      Retention retention,
      Optional<Instant> orphansOlderThan,
      Supplier<Optional<TableAtWatermark>> watermark,
      LongConsumer progress) {
    this.lake = lake;
    this.partition = partition;
    this.table = table;
    this.name = name;
    this.retention = retention;
    this.orphansOlderThan = orphansOlderThan;
    this.watermark = watermark;
    this.deletion = new Deletion(name, progress);
  }

  /** What there is to do. */
  public CleanupResult plan() {
    before = Optional.of(sound());
    orphans = orphans();
    expired = expirable(before.get()).size();
    return result(before.get(), OptionalLong.empty(), Optional.empty());
  }

  /** Does it. */
  public CleanupResult execute() {
    before = Optional.of(sound());
    Map<Long, Snapshot> gone = expire();
    IcebergLake.Contents after = withReload(() -> deleteExpired(gone));
    expiredFiles = deletion.deleted();
    orphans = orphans();
    deletion.delete(
        after.table().io(), orphans.orElse(List.of()).stream().map(FileInfo::location).toList());
    return result(before.get(), metadataBytes(after.table()), Optional.empty());
  }

  /** What was done before it failed. */
  CleanupResult failed(String problem) {
    return before
        .map(contents -> result(contents, OptionalLong.empty(), Optional.of(problem)))
        .orElseGet(() -> leftAlone(problem));
  }

  /** Returns the table by which it was told what may go. */
  private IcebergLake.Contents deleteExpired(Map<Long, Snapshot> gone) {
    IcebergLake.Contents after = contents();
    after.table().snapshots().forEach(snapshot -> gone.remove(snapshot.snapshotId()));
    expired = gone.size();
    if (!gone.isEmpty()) {
      References.Files files =
          StorageCalls.call(
              "reading the manifests of table " + name,
              () -> new References(after.table()).onlyIn(gone.values()));
      deletion.delete(after.table().io(), files.content());
      deletion.delete(after.table().io(), files.metadata());
    }
    expiredFiles = deletion.deleted();
    return after;
  }

  /** Another engine may expire between a load and what is read by it; a new load then tells. */
  private <T> T withReload(Supplier<T> work) {
    try {
      return work.get();
    } catch (NotFoundException e) {
      LOG.info("Table {} is loaded again, as a file that it led to is gone", name, e);
    }
    try {
      return work.get();
    } catch (NotFoundException e) {
      throw LakeException.lasting(
          "table " + name + " leads to a file that is not there: " + e.getMessage(), e);
    }
  }

  private IcebergLake.Contents contents() {
    return Retries.call(() -> lake.contents(table))
        .orElseThrow(() -> ToolException.error("table " + name + " is missing"));
  }

  /** The table, if it is one that may be touched. */
  private IcebergLake.Contents sound() {
    IcebergLake.Contents contents = contents();
    TableView view = contents.view();
    Optional<String> fault =
        view.property().isEmpty() ? Optional.of("it has no state of ours") : view.disagreement();
    if (fault.isPresent()) {
      throw ToolException.error("table " + name + " is left alone: " + fault.get());
    }
    return contents;
  }

  private List<Snapshot> expirable(IcebergLake.Contents contents) {
    return retention.expirable(contents, watermark.get());
  }

  /** Returns every snapshot that was there before one of the commits. */
  private Map<Long, Snapshot> expire() {
    Map<Long, Snapshot> seen = new HashMap<>();
    int failures = 0;
    for (int attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      IcebergLake.Contents contents = sound();
      List<Snapshot> expirable = expirable(contents);
      if (expirable.isEmpty()) {
        return seen;
      }
      contents.table().snapshots().forEach(snapshot -> seen.put(snapshot.snapshotId(), snapshot));
      try {
        if (commit(contents.view(), expirable) instanceof CommitReply.Landed) {
          return seen;
        }
      } catch (LakeException e) {
        // A tag that was set meanwhile is a failure too, and is kept by the next plan.
        if (++failures == MAX_FAILURES) {
          throw e;
        }
      }
    }
    throw ToolException.error(
        "table "
            + name
            + " changed under each of "
            + MAX_ATTEMPTS
            + " attempts to expire its snapshots. Nothing of it was deleted; run the command"
            + " again");
  }

  private CommitReply commit(TableView view, List<Snapshot> expirable) {
    TableState state = view.property().orElseThrow();
    Set<Long> ids = expirable.stream().map(Snapshot::snapshotId).collect(Collectors.toSet());
    return Retries.call(
        () ->
            lake.commit(
                new TableCommit(
                    table,
                    view.uuid(),
                    Optional.of(state),
                    state.after(CommitKind.CLEANUP),
                    new TableCommit.Change.Expire(ids),
                    Map.of())));
  }

  private Optional<List<FileInfo>> orphans() {
    return orphansOlderThan.map(
        olderThan -> withReload(() -> new Orphans(table, name, olderThan).find(this::contents)));
  }

  private CleanupResult result(
      IcebergLake.Contents contents, OptionalLong metadataBytesAfter, Optional<String> problem) {
    TableMetadata metadata = References.metadata(contents.table());
    return new CleanupResult(
        partition,
        table,
        name,
        metadata.snapshots().size(),
        expired,
        pinned(metadata),
        expiredFiles,
        orphans.isPresent() ? OptionalLong.of(orphans.get().size()) : OptionalLong.empty(),
        orphans.orElse(List.of()).stream().mapToLong(FileInfo::size).sum(),
        deletion.failed(),
        metadataBytes(contents.table()),
        metadataBytesAfter,
        problem);
  }

  private static long pinned(TableMetadata metadata) {
    return metadata.refs().entrySet().stream()
        .filter(ref -> !ref.getKey().equals(SnapshotRef.MAIN_BRANCH))
        .map(ref -> ref.getValue().snapshotId())
        .distinct()
        .count();
  }

  /** What some catalogs limit; a REST catalog need not let a client read it. */
  private static OptionalLong metadataBytes(Table of) {
    String location = References.metadata(of).metadataFileLocation();
    try {
      return location == null
          ? OptionalLong.empty()
          : OptionalLong.of(of.io().newInputFile(location).getLength());
    } catch (RuntimeException e) {
      return OptionalLong.empty();
    }
  }

  private CleanupResult leftAlone(String problem) {
    return new CleanupResult(
        partition,
        table,
        name,
        0,
        0,
        0,
        0,
        OptionalLong.empty(),
        0,
        0,
        OptionalLong.empty(),
        OptionalLong.empty(),
        Optional.of(problem));
  }
}
