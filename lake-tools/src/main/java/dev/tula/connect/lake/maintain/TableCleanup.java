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
import org.apache.iceberg.io.FileInfo;

/**
 * Cleans up one table. Snapshots are expired by a commit that derives everything from one load
 * (C14) and adds an empty snapshot of ours (C29); a plan is never carried over from one load to the
 * next. Files are deleted only afterwards, when the table, read again, does not lead to them.
 *
 * <p>For one thread, and used once.
 */
public final class TableCleanup {
  private static final int MAX_ATTEMPTS = 10;
  private static final int MAX_FAILURES = 3;

  private final IcebergLake lake;
  private final int partition;
  private final String table;
  private final String name;
  private final Retention retention;
  private final Optional<Instant> orphansOlderThan;
  private final Supplier<Optional<TableAtWatermark>> watermark;
  private final LongConsumer progress;

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
    this.progress = progress;
  }

  /** What there is to do. */
  public CleanupResult plan() {
    IcebergLake.Contents contents = sound();
    List<FileInfo> orphans = orphans();
    return result(contents, expirable(contents).size(), 0, orphans, 0, OptionalLong.empty());
  }

  /** Does it. */
  public CleanupResult execute() {
    IcebergLake.Contents before = sound();
    Map<Long, Snapshot> gone = expire();
    IcebergLake.Contents after = contents();
    after.table().snapshots().forEach(snapshot -> gone.remove(snapshot.snapshotId()));
    Deletion deletion = new Deletion(after.table().io(), progress);
    if (!gone.isEmpty()) {
      References.Files files = new References(after.table()).onlyIn(gone.values());
      deletion.delete(files.content());
      deletion.delete(files.metadata());
    }
    long expiredFiles = deletion.deleted();
    List<FileInfo> orphans = orphans();
    deletion.delete(orphans.stream().map(FileInfo::location).toList());
    return result(
        before,
        gone.size(),
        expiredFiles,
        orphans,
        deletion.failed(),
        metadataBytes(after.table()));
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

  private List<FileInfo> orphans() {
    return orphansOlderThan
        .map(olderThan -> new Orphans(table, name, olderThan).find(this::contents))
        .orElse(List.of());
  }

  private CleanupResult result(
      IcebergLake.Contents before,
      long expired,
      long expiredFiles,
      List<FileInfo> orphans,
      long undeleted,
      OptionalLong metadataBytesAfter) {
    TableMetadata metadata = References.metadata(before.table());
    return new CleanupResult(
        partition,
        table,
        name,
        metadata.snapshots().size(),
        expired,
        pinned(metadata),
        expiredFiles,
        orphansOlderThan.isPresent() ? OptionalLong.of(orphans.size()) : OptionalLong.empty(),
        orphans.stream().mapToLong(FileInfo::size).sum(),
        undeleted,
        metadataBytes(before.table()),
        metadataBytesAfter,
        Optional.empty());
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

  /** For a table that is left alone. */
  static CleanupResult leftAlone(int partition, String table, String name, String problem) {
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
