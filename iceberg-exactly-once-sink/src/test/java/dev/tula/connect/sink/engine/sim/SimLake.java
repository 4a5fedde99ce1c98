package dev.tula.connect.sink.engine.sim;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.sink.engine.Lake;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.engine.StagedFile;
import dev.tula.connect.sink.engine.StagedFileName;
import dev.tula.connect.sink.engine.TableCommit;
import dev.tula.connect.sink.engine.TableNames;
import dev.tula.connect.sink.engine.TableRows;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.engine.TableView;
import dev.tula.connect.sink.engine.TooManyRowsException;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One partition's tables in a catalog in memory, with a commit that keeps the contract of {@link
 * Lake#commit}, by the condition that is checked on real tables too ({@link TableCommit#fits}). It
 * never fails and never loses a reply: that is its callers' part.
 */
public final class SimLake implements Lake {
  /** Hears of each commit of ours that lands. */
  public interface Listener {
    /** The table went from one value to the other. */
    void landed(TableCommit commit, SimTable before, SimTable after);
  }

  /**
   * Everything that the catalog holds: a value.
   *
   * @param identity the properties of the identity table
   * @param tables by logical name
   */
  public record Contents(Optional<Map<String, String>> identity, Map<String, SimTable> tables) {
    /** Sorts and copies the map. */
    public Contents {
      tables = Collections.unmodifiableMap(new TreeMap<>(tables));
    }

    /** An empty catalog. */
    public static final Contents EMPTY = new Contents(Optional.empty(), Map.of());

    Contents with(String name, SimTable table) {
      Map<String, SimTable> changed = new TreeMap<>(tables);
      changed.put(name, table);
      return new Contents(identity, changed);
    }

    Contents without(String name) {
      Map<String, SimTable> changed = new TreeMap<>(tables);
      changed.remove(name);
      return new Contents(identity, changed);
    }
  }

  private final Listener listener;
  private final Set<String> folder = new TreeSet<>();
  private final Set<String> deleted = new TreeSet<>();
  private Contents contents;
  private int incarnations;

  /** A lake with these contents. */
  public SimLake(Contents contents, Listener listener) {
    this.contents = contents;
    this.listener = listener;
  }

  /** What it holds. */
  public Contents contents() {
    return contents;
  }

  /** Somebody puts other contents there. */
  public void set(Contents newContents) {
    contents = newContents;
  }

  /** A table, if it is there. */
  public Optional<SimTable> table(String name) {
    return Optional.ofNullable(contents.tables().get(name));
  }

  /** Somebody puts a table there. */
  public void set(String name, SimTable table) {
    contents = contents.with(name, table);
  }

  /** Somebody drops a table. */
  public void drop(String name) {
    contents = contents.without(name);
  }

  /** The state of the watermark table. */
  public Optional<TableState> watermark() {
    return table(TableNames.WATERMARK).flatMap(SimTable::property);
  }

  @Override
  public IdentityLookup lookUpIdentity() {
    return new IdentityLookup(
        contents.identity(), table(TableNames.WATERMARK).map(table -> TableNames.WATERMARK));
  }

  @Override
  public boolean createIdentity(PipelineIdentity identity) {
    if (contents.identity().isPresent()) {
      return false;
    }
    contents = new Contents(Optional.of(identity.toProperties()), contents.tables());
    return true;
  }

  @Override
  public Optional<TableView> load(String table) {
    return table(table).map(SimTable::view);
  }

  @Override
  public void create(String table) {
    if (table(table).isEmpty()) {
      incarnations++;
      set(table, SimTable.created(table + "-" + incarnations));
    }
  }

  @Override
  public CommitReply commit(TableCommit commit) {
    Optional<SimTable> now = table(commit.table());
    if (now.isEmpty()) {
      return new CommitReply.Refused(Optional.empty());
    }
    TableView view = now.get().view();
    if (commit.isIn(view)) {
      return new CommitReply.Landed(view.newestOursSnapshotId().orElse(now.get().nextId() - 1));
    }
    if (!commit.fits(view)
        || !commit.fitsOn(now.get().mainSnapshot())
        || isRefused(commit, now.get())) {
      return new CommitReply.Refused(Optional.of(view));
    }
    SimTable after = now.get().after(commit);
    contents = contents.with(commit.table(), after);
    listener.landed(commit, now.get(), after);
    return new CommitReply.Landed(now.get().nextId());
  }

  /** Iceberg expires nothing that a tag names, and sets no tag on what is not there. */
  private static boolean isRefused(TableCommit commit, SimTable table) {
    boolean tagged =
        commit.change() instanceof TableCommit.Change.Expire expire
            && !Collections.disjoint(expire.snapshotIds(), table.tags());
    return tagged
        || commit.properties().keySet().stream()
            .filter(key -> key.startsWith(SimTable.TAG))
            .anyMatch(key -> !table.has(Long.parseLong(key.substring(SimTable.TAG.length()))));
  }

  @Override
  public StagedFile stage(String table, String fileName, TableRows rows) {
    String location = table + "/" + fileName;
    for (int i = 1; folder.contains(location) || deleted.contains(location); i++) {
      location =
          table + "/" + fileName.replace(StagedFileName.SUFFIX, "." + i + StagedFileName.SUFFIX);
    }
    folder.add(location);
    return SimFile.of(location, rows);
  }

  /** The files in a table's folder, whether anything leads to them or not. */
  List<String> files(String table) {
    return folder.stream().filter(location -> location.startsWith(table + "/")).toList();
  }

  /** Somebody deletes a file. */
  void delete(String location) {
    folder.remove(location);
    deleted.add(location);
  }

  /** Whether a file was deleted. */
  boolean isDeleted(String location) {
    return deleted.contains(location);
  }

  @Override
  public List<CanonicalRow> read(String table, Range range, int maxRows) {
    return table(table).stream()
        .flatMap(SimTable::rows)
        .filter(row -> range.contains(row.position()))
        .sorted(Comparator.comparing(CanonicalRow::position))
        .toList();
  }

  @Override
  public List<CanonicalRow> readAt(String table, NavigableSet<Position> positions, int maxRows) {
    List<CanonicalRow> between =
        table(table).stream()
            .flatMap(SimTable::rows)
            .filter(row -> row.position().isAtOrBelow(positions.last()))
            .filter(row -> positions.first().isAtOrBelow(row.position()))
            .sorted(Comparator.comparing(CanonicalRow::position))
            .toList();
    if (between.size() > maxRows) {
      throw new TooManyRowsException(table + " has more than " + maxRows + " rows there");
    }
    return between.stream().filter(row -> positions.contains(row.position())).toList();
  }
}
