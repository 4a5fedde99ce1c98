package dev.tula.connect.sink.engine.sim;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.sink.engine.TableCommit;
import dev.tula.connect.sink.engine.TableFile;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.engine.TableView;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A table as a catalog holds it: a value.
 *
 * @param uuid its UUID
 * @param property the state in its property
 * @param main main's snapshots that have not expired, oldest first; the last is the current one.
 *     Where one in between is gone, what lies before it is no ancestor of what comes after
 * @param nextId the id of the next snapshot
 * @param halts halt records in its properties, by id
 * @param clearedHalts the ids that its properties clear
 * @param tags the snapshots that tags name
 */
public record SimTable(
    String uuid,
    Optional<TableState> property,
    List<Snapshot> main,
    long nextId,
    Map<String, String> halts,
    Set<String> clearedHalts,
    Set<Long> tags) {
  /**
   * Stands, as a property of a commit, for a tag that is set along with it; before its snapshot.
   */
  static final String TAG = "tag.";

  private static final String HALT = TableView.HALT_PROPERTY;
  private static final String CLEAR = TableView.CLEAR_PROPERTY;

  /**
   * A snapshot.
   *
   * @param id its id
   * @param parent the id of the one that it stands on; 0 for the first
   * @param state the state in its summary; absent in a foreign one
   * @param files its files
   */
  public record Snapshot(long id, long parent, Optional<TableState> state, List<SimFile> files) {
    /** Copies the list. */
    public Snapshot {
      files = List.copyOf(files);
    }

    /** One that stands on nothing. */
    public Snapshot(long id, Optional<TableState> state, List<SimFile> files) {
      this(id, 0, state, files);
    }
  }

  /** Copies the collections. */
  public SimTable {
    main = List.copyOf(main);
    halts = Collections.unmodifiableMap(new TreeMap<>(halts));
    clearedHalts = Collections.unmodifiableSet(new TreeSet<>(clearedHalts));
    tags = Collections.unmodifiableSet(new TreeSet<>(tags));
  }

  /** One without tags. */
  public SimTable(
      String uuid,
      Optional<TableState> property,
      List<Snapshot> main,
      long nextId,
      Map<String, String> halts,
      Set<String> clearedHalts) {
    this(uuid, property, main, nextId, halts, clearedHalts, Set.of());
  }

  /** An empty table without a state. */
  public static SimTable created(String uuid) {
    return new SimTable(uuid, Optional.empty(), List.of(), 1, Map.of(), Set.of());
  }

  /** The current snapshot's files. */
  public List<SimFile> files() {
    return main.isEmpty() ? List.of() : main.get(main.size() - 1).files();
  }

  /** The current snapshot's rows. */
  public Stream<CanonicalRow> rows() {
    return files().stream().flatMap(file -> file.contents().stream());
  }

  /** The current snapshot. */
  OptionalLong mainSnapshot() {
    return main.isEmpty() ? OptionalLong.empty() : OptionalLong.of(main.get(main.size() - 1).id());
  }

  /** Whether it has a snapshot. */
  boolean has(long snapshotId) {
    return main.stream().anyMatch(snapshot -> snapshot.id() == snapshotId);
  }

  /** Where every file lies that one of its snapshots lists. */
  Set<String> locations() {
    return main.stream()
        .flatMap(snapshot -> snapshot.files().stream())
        .map(SimFile::location)
        .collect(Collectors.toSet());
  }

  long totalRecords() {
    long total = 0;
    for (SimFile file : files()) {
      total += file.rows();
    }
    return total;
  }

  Optional<Snapshot> newestOurs() {
    for (int i = main.size() - 1; i >= 0; i--) {
      if (main.get(i).state().isPresent()) {
        return Optional.of(main.get(i));
      }
      if (i > 0 && main.get(i).parent() != main.get(i - 1).id()) {
        return Optional.empty();
      }
    }
    return Optional.empty();
  }

  /** As a load shows it. */
  public TableView view() {
    Optional<Snapshot> ours = newestOurs();
    return new TableView(
        uuid,
        property,
        ours.flatMap(Snapshot::state),
        ours.isPresent() ? OptionalLong.of(ours.get().id()) : OptionalLong.empty(),
        totalRecords(),
        Optional.empty(),
        halts,
        clearedHalts);
  }

  /** This table after one of our commits: snapshot and property at once. */
  SimTable after(TableCommit commit) {
    Map<String, String> newHalts = new TreeMap<>(halts);
    Set<String> newCleared = new TreeSet<>(clearedHalts);
    Set<Long> newTags = new TreeSet<>(tags);
    commit
        .properties()
        .forEach(
            (key, value) -> {
              if (key.startsWith(HALT)) {
                newHalts.put(key.substring(HALT.length()), value);
              } else if (key.startsWith(TAG)) {
                newTags.add(Long.valueOf(key.substring(TAG.length())));
              } else {
                newCleared.add(key.substring(CLEAR.length()));
              }
            });
    return new SimTable(
        uuid,
        Optional.of(commit.next()),
        mainAfter(commit),
        nextId + 1,
        newHalts,
        newCleared,
        newTags);
  }

  private List<Snapshot> mainAfter(TableCommit commit) {
    List<Snapshot> snapshots = with(Optional.of(commit.next()), filesAfter(commit.change()));
    if (commit.change() instanceof TableCommit.Change.Expire expire) {
      snapshots.removeIf(snapshot -> expire.snapshotIds().contains(snapshot.id()));
    }
    return snapshots;
  }

  private List<SimFile> filesAfter(TableCommit.Change change) {
    if (change instanceof TableCommit.Change.Append append) {
      List<SimFile> files = new ArrayList<>(files());
      append.files().forEach(file -> files.add((SimFile) file));
      return files;
    }
    if (change instanceof TableCommit.Change.ReplaceRow replace) {
      return List.of(watermarkFile(replace));
    }
    if (change instanceof TableCommit.Change.Rewrite rewrite) {
      return exchanged(rewrite.replaced(), rewrite.by());
    }
    if (change instanceof TableCommit.Change.Repair repair) {
      return exchanged(repair.replaced(), repair.by());
    }
    return files();
  }

  private List<SimFile> exchanged(
      List<? extends TableFile> replaced, List<? extends TableFile> by) {
    Set<String> gone = replaced.stream().map(TableFile::location).collect(Collectors.toSet());
    List<SimFile> files = new ArrayList<>(files());
    files.removeIf(file -> gone.contains(file.location()));
    by.forEach(file -> files.add((SimFile) file));
    return files;
  }

  /** Its one row stands for the watermark row; what is in it is of no matter here. */
  private SimFile watermarkFile(TableCommit.Change.ReplaceRow replace) {
    return new SimFile(
        "watermark-" + replace.row().watermark() + "-" + nextId, List.of(SimRows.PLACEHOLDER));
  }

  private List<Snapshot> with(Optional<TableState> state, List<SimFile> files) {
    List<Snapshot> snapshots = new ArrayList<>(main);
    snapshots.add(new Snapshot(nextId, mainSnapshot().orElse(0), state, files));
    return snapshots;
  }

  /** This table after somebody else made these its files. */
  public SimTable afterForeign(List<SimFile> files) {
    return new SimTable(
        uuid, property, with(Optional.empty(), files), nextId + 1, halts, clearedHalts, tags);
  }

  /** This table with main's history set to these snapshots; all else stays, as after a rollback. */
  public SimTable withMain(List<Snapshot> snapshots) {
    return new SimTable(uuid, property, snapshots, nextId, halts, clearedHalts, tags);
  }

  /** This table after somebody removed its property. */
  public SimTable withoutProperty() {
    return new SimTable(uuid, Optional.empty(), main, nextId, halts, clearedHalts, tags);
  }
}
