package dev.tula.connect.sink.engine.sim;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.sink.engine.TableCommit;
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
import java.util.stream.Stream;

/**
 * A table as a catalog holds it: a value.
 *
 * @param uuid its UUID
 * @param property the state in its property
 * @param main main's snapshots that have not expired, oldest first; the last is the current one
 * @param nextId the id of the next snapshot
 * @param halts halt records in its properties, by id
 * @param clearedHalts the ids that its properties clear
 */
public record SimTable(
    String uuid,
    Optional<TableState> property,
    List<Snapshot> main,
    long nextId,
    Map<String, String> halts,
    Set<String> clearedHalts) {
  private static final String HALT = TableView.HALT_PROPERTY;
  private static final String CLEAR = TableView.CLEAR_PROPERTY;

  /**
   * A snapshot.
   *
   * @param id its id
   * @param state the state in its summary; absent in a foreign one
   * @param files its files
   */
  public record Snapshot(long id, Optional<TableState> state, List<SimFile> files) {
    /** Copies the list. */
    public Snapshot {
      files = List.copyOf(files);
    }
  }

  /** Copies the collections. */
  public SimTable {
    main = List.copyOf(main);
    halts = Collections.unmodifiableMap(new TreeMap<>(halts));
    clearedHalts = Collections.unmodifiableSet(new TreeSet<>(clearedHalts));
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
    commit
        .properties()
        .forEach(
            (key, value) -> {
              if (key.startsWith(HALT)) {
                newHalts.put(key.substring(HALT.length()), value);
              } else {
                newCleared.add(key.substring(CLEAR.length()));
              }
            });
    return new SimTable(
        uuid,
        Optional.of(commit.next()),
        with(new Snapshot(nextId, Optional.of(commit.next()), filesAfter(commit.change()))),
        nextId + 1,
        newHalts,
        newCleared);
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
    return files();
  }

  /** Its one row stands for the watermark row; what is in it is of no matter here. */
  private static SimFile watermarkFile(TableCommit.Change.ReplaceRow replace) {
    return new SimFile("watermark-" + replace.row().watermark(), List.of(SimRows.PLACEHOLDER));
  }

  private List<Snapshot> with(Snapshot snapshot) {
    List<Snapshot> snapshots = new ArrayList<>(main);
    snapshots.add(snapshot);
    return snapshots;
  }

  /** This table after somebody else made these its files. */
  public SimTable afterForeign(List<SimFile> files) {
    return new SimTable(
        uuid,
        property,
        with(new Snapshot(nextId, Optional.empty(), files)),
        nextId + 1,
        halts,
        clearedHalts);
  }

  /** This table with main's history set to these snapshots; all else stays, as after a rollback. */
  public SimTable withMain(List<Snapshot> snapshots) {
    return new SimTable(uuid, property, snapshots, nextId, halts, clearedHalts);
  }

  /** This table after somebody removed its property. */
  public SimTable withoutProperty() {
    return new SimTable(uuid, Optional.empty(), main, nextId, halts, clearedHalts);
  }
}
