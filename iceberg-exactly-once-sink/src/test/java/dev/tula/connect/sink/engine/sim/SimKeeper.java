package dev.tula.connect.sink.engine.sim;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Chain;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.model.RangeDigest;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.model.event.TableEvent;
import dev.tula.connect.sink.engine.CommitKind;
import dev.tula.connect.sink.engine.FileExchange;
import dev.tula.connect.sink.engine.Lake.CommitReply;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.OrphanSearch;
import dev.tula.connect.sink.engine.SnapshotRetention;
import dev.tula.connect.sink.engine.StagedFile;
import dev.tula.connect.sink.engine.StagedFileName;
import dev.tula.connect.sink.engine.TableAtWatermark;
import dev.tula.connect.sink.engine.TableCommit;
import dev.tula.connect.sink.engine.TableNames;
import dev.tula.connect.sink.engine.TableRows;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.engine.TableView;
import dev.tula.connect.sink.engine.WriterClaim;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Who keeps the lake: cleanup, compact, pin, repair and verify, as tula-lake does them and by the
 * same decisions. Between any two steps of a command everybody else may take turns, other commands
 * too; it may be killed there; and its commits may be late and their replies lost.
 */
final class SimKeeper {
  private static final int MAX_ATTEMPTS = 4;
  private static final int MAX_COMMANDS_AT_ONCE = 2;
  private static final int MAX_TURNS_BETWEEN = 12;
  private static final double KILLED = 0.01;
  private static final double LATE = 0.05;
  private static final double LOST_REPLY = 0.05;

  private final Simulation simulation;
  private final Schedule schedule;
  private final SimLake lake;
  private final List<Late> late = new ArrayList<>();
  private int running;
  private int started;

  /** A commit that is under way, and the snapshot of main that it stands on. */
  private record Late(TableCommit commit, OptionalLong onSnapshot) {}

  /** Ends a command: it was killed, or it leaves the table alone. */
  private static final class EndedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    EndedException(String why) {
      super(why, null, false, false);
    }
  }

  SimKeeper(Simulation simulation) {
    this.simulation = simulation;
    this.schedule = simulation.schedule();
    this.lake = simulation.lake();
  }

  /** Runs one of the commands on one of the tables. */
  void runAnyCommand() {
    Optional<String> table = simulation.anyTable();
    if (running == MAX_COMMANDS_AT_ONCE || table.isEmpty()) {
      return;
    }
    boolean damaged = simulation.isDamaged();
    boolean repairable = damaged && simulation.damage().orElseThrow().isRepairable();
    if (repairable && schedule.chance(0.5)) {
      run("repair", this::repair, simulation.damage().orElseThrow().table().orElseThrow());
    } else if (!damaged) {
      switch (schedule.below(6)) {
        case 0 -> run("compact", this::compact, table.get());
        case 1 -> run("pin", this::pin, table.get());
        case 2 -> run("verify", this::verify, table.get());
        case 3 -> run("cleanup", this::cleanUp, table.get());
        default -> run("cleanup of orphans", this::deleteOrphans, table.get());
      }
    }
  }

  private void run(String command, Consumer<String> work, String table) {
    started++;
    running++;
    schedule.note(() -> command + " of " + table + " begins");
    try {
      work.accept(table);
      schedule.note(() -> command + " of " + table + " is done");
      schedule.count(command + ": done");
    } catch (EndedException | LakeException e) {
      schedule.note(() -> command + " of " + table + " ends: " + e.getMessage());
      schedule.count(command + ": ended: " + e.getMessage());
    } finally {
      running--;
    }
  }

  /** Everybody else goes on for a while. */
  private void others() {
    if (simulation.isQuiet()) {
      return;
    }
    if (schedule.chance(KILLED)) {
      throw new EndedException("killed");
    }
    for (int i = schedule.below(MAX_TURNS_BETWEEN); i > 0; i--) {
      simulation.turn();
    }
  }

  /** The table as it is a while later, if it may be touched. */
  private SimTable load(String name) {
    others();
    return soundly(name);
  }

  private SimTable soundly(String name) {
    SimTable table = lake.table(name).orElseThrow(() -> new EndedException("no table"));
    if (simulation.isDamaged()) {
      throw new EndedException("left alone");
    }
    if (table.property().isEmpty() || table.view().disagreement().isPresent()) {
      throw new EndedException("nobody has claimed it yet");
    }
    return table;
  }

  /**
   * Sends a commit that was derived from a table as it was. Returns whether it is known to land.
   */
  private boolean send(TableCommit commit, SimTable derivedFrom) {
    others();
    if (!simulation.isQuiet() && schedule.chance(LATE)) {
      schedule.note(() -> Texts.of(commit) + " is late");
      late.add(new Late(commit, derivedFrom.mainSnapshot()));
      return false;
    }
    return lands(commit) && (simulation.isQuiet() || !schedule.chance(LOST_REPLY));
  }

  /** Whoever sent a repair, and whether or not he learns of it: the damage is undone. */
  private boolean lands(TableCommit commit) {
    boolean landed = lake.commit(commit) instanceof CommitReply.Landed;
    if (landed && commit.change() instanceof TableCommit.Change.Repair) {
      simulation.repaired();
    }
    return landed;
  }

  /** One of the commits that are under way lands, if main is still where it was. */
  void landLate() {
    if (late.isEmpty()) {
      return;
    }
    Late first = late.remove(schedule.below(late.size()));
    Optional<SimTable> now = lake.table(first.commit().table());
    if (now.isPresent()
        && now.get().mainSnapshot().equals(first.onSnapshot())
        && lands(first.commit())) {
      schedule.count("late landings of maintenance");
    }
  }

  void nothingLandsLate() {
    late.clear();
  }

  // cleanup

  private void cleanUp(String name) {
    SimTable first = load(name);
    SnapshotRetention retention =
        new SnapshotRetention(
            schedule.between(1, (int) first.nextId() + 1), schedule.pick(List.of(1, 1, 2, 3)));
    Map<Long, SimTable.Snapshot> seen = new LinkedHashMap<>();
    for (int attempt = 1; ; attempt++) {
      SimTable table = load(name);
      others();
      List<Long> expirable = expirable(retention, table, atWatermark(name));
      if (expirable.isEmpty()) {
        break;
      }
      table.main().forEach(snapshot -> seen.put(snapshot.id(), snapshot));
      if (send(expiry(name, table, expirable), table)) {
        schedule.count("snapshots expired");
        break;
      }
      if (attempt == MAX_ATTEMPTS) {
        throw new EndedException("changed under each attempt");
      }
    }
    deleteFilesOf(name, seen);
  }

  private Optional<TableAtWatermark> atWatermark(String name) {
    return lake.watermark()
        .flatMap(TableState::watermark)
        .map(watermark -> watermark.tables().get(name));
  }

  /** What the decision says, held against what must never go. A snapshot's time is its id here. */
  private List<Long> expirable(
      SnapshotRetention retention, SimTable table, Optional<TableAtWatermark> watermark) {
    List<SnapshotRetention.Listed> listed = new ArrayList<>();
    for (SimTable.Snapshot snapshot : table.main()) {
      OptionalLong parent =
          snapshot.parent() == 0 ? OptionalLong.empty() : OptionalLong.of(snapshot.parent());
      listed.add(
          new SnapshotRetention.Listed(
              snapshot.id(), parent, snapshot.id(), snapshot.state().map(TableState::commit)));
    }
    List<Long> expirable =
        retention.expirable(
            listed,
            new SnapshotRetention.References(table.mainSnapshot(), Set.of(), table.tags()),
            table.view().newestOursSnapshotId(),
            watermark);
    Set<Long> never = new HashSet<>(table.tags());
    never.add(table.mainSnapshot().orElseThrow());
    table.newestOurs().ifPresent(ours -> never.add(ours.id()));
    watermark.ifPresent(then -> then.snapshotId().ifPresent(never::add));
    for (long id : expirable) {
      if (never.contains(id)) {
        throw new AssertionError("C29: a cleanup wants to expire " + id + " of " + never);
      }
    }
    return expirable;
  }

  private static TableCommit expiry(String name, SimTable table, List<Long> expirable) {
    TableState state = table.property().orElseThrow();
    return new TableCommit(
        name,
        table.uuid(),
        Optional.of(state),
        state.after(CommitKind.CLEANUP),
        new TableCommit.Change.Expire(Set.copyOf(expirable)),
        Map.of());
  }

  /** What only snapshots led to that the table, read again, does not have any more. */
  private void deleteFilesOf(String name, Map<Long, SimTable.Snapshot> seen) {
    SimTable after = load(name);
    Set<String> files = new HashSet<>();
    seen.values().stream()
        .filter(snapshot -> !after.has(snapshot.id()))
        .flatMap(snapshot -> snapshot.files().stream())
        .forEach(file -> files.add(file.location()));
    files.removeAll(after.locations());
    delete(name, List.copyOf(files));
  }

  private void delete(String name, List<String> locations) {
    for (String location : locations) {
      others();
      soundly(name);
      simulation.checks().deleted(name, location);
      lake.delete(location);
      schedule.count("files deleted");
    }
  }

  private void deleteOrphans(String name) {
    delete(name, new OrphanSearch<>(name, new Folders(name)).find());
  }

  /** The folder of a table, which knows no age: every file in it is old enough. */
  private final class Folders implements OrphanSearch.Folders<SimTable, String> {
    private final String name;

    Folders(String name) {
      this.name = name;
    }

    @Override
    public SimTable load() {
      return SimKeeper.this.load(name);
    }

    @Override
    public TableView view(SimTable loaded) {
      return loaded.view();
    }

    @Override
    public List<String> data(SimTable loaded) {
      others();
      return lake.files(name);
    }

    @Override
    public List<String> metadata(SimTable loaded) {
      return List.of();
    }

    @Override
    public String name(String file) {
      return file.substring(file.indexOf('/') + 1);
    }

    @Override
    public void removeReferenced(SimTable loaded, Map<String, List<String>> byName) {
      loaded.locations().forEach(location -> byName.remove(name(location)));
    }
  }

  // pin

  private void pin(String name) {
    SimTable table = load(name);
    SimTable.Snapshot pinned = schedule.pick(table.main());
    TableState state = table.property().orElseThrow();
    TableCommit commit =
        new TableCommit(
            name,
            table.uuid(),
            Optional.of(state),
            state.after(CommitKind.PIN),
            new TableCommit.Change.NoRows(),
            Map.of(SimTable.TAG + pinned.id(), ""));
    if (!send(commit, table)) {
      throw new EndedException("not known to have landed");
    }
  }

  // compact

  private void compact(String name) {
    SimTable before = load(name);
    if (name.equals(TableNames.WATERMARK) || before.files().size() < 2) {
      throw new EndedException("nothing to compact");
    }
    int from = schedule.below(before.files().size() - 1);
    int to = schedule.between(from + 2, before.files().size());
    List<SimFile> replaced = before.files().subList(from, to);
    WriterClaim claim = before.property().orElseThrow().claim();
    List<CanonicalRow> rows = replaced.stream().flatMap(file -> file.contents().stream()).toList();
    FileExchange exchange =
        new FileExchange(name, claim, replaced, List.of(stage(name, claim, rows)));
    for (int attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      SimTable table = load(name);
      if (isThere(exchange, table)
          || send(exchange.rewrite(table.view(), table.mainSnapshot().orElseThrow()), table)) {
        return;
      }
    }
    throw new EndedException("changed under each attempt");
  }

  private StagedFile stage(String name, WriterClaim claim, List<CanonicalRow> rows) {
    TableRows staged = new TableRows();
    rows.forEach(staged::add);
    WriterClaim own = new WriterClaim(claim.epoch(), claim.number(), "keeper");
    Position last = rows.get(rows.size() - 1).position();
    return lake.stage(name, StagedFileName.of(own, name, last, Integer.toString(started)), staged);
  }

  private boolean isThere(FileExchange exchange, SimTable table) {
    Set<String> live = table.files().stream().map(SimFile::location).collect(Collectors.toSet());
    FileExchange.Step step = exchange.next(table.view(), live);
    if (step instanceof FileExchange.Step.Overtaken) {
      throw new EndedException("a writer claimed the table");
    }
    if (step instanceof FileExchange.Step.Rewritten) {
      throw new EndedException("somebody else rewrote its files");
    }
    if (step instanceof FileExchange.Step.OtherRows) {
      throw new EndedException("its rows are others than were found");
    }
    return step instanceof FileExchange.Step.Landed;
  }

  // repair

  /** Brings back the rows of a table that were deleted, altered or added. */
  void repair(String name) {
    others();
    SimTable planned = damaged(name);
    Map<Position, CanonicalRow> missing = rowsOf(name, planned);
    List<SimFile> replaced = new ArrayList<>();
    List<CanonicalRow> kept = new ArrayList<>();
    for (SimFile file : planned.files()) {
      List<CanonicalRow> right = new ArrayList<>();
      for (CanonicalRow row : file.contents()) {
        if (missing.remove(row.position(), row)) {
          right.add(row);
        }
      }
      if (right.size() < file.contents().size()) {
        replaced.add(file);
        kept.addAll(right);
      }
    }
    kept.addAll(missing.values());
    WriterClaim claim = planned.property().orElseThrow().claim();
    List<StagedFile> by = kept.isEmpty() ? List.of() : List.of(stage(name, claim, kept));
    commitRepair(new FileExchange(name, claim, replaced, by));
  }

  private void commitRepair(FileExchange exchange) {
    for (int attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      others();
      SimTable table = believable(exchange.table());
      if (isThere(exchange, table)
          || send(exchange.repair(table.view(), table.mainSnapshot().orElseThrow()), table)) {
        return;
      }
    }
    throw new EndedException("changed under each attempt");
  }

  private SimTable damaged(String name) {
    if (!simulation.isDamaged()) {
      throw new EndedException("somebody else repaired it");
    }
    return believable(name);
  }

  private SimTable believable(String name) {
    SimTable table = lake.table(name).orElseThrow();
    if (table.property().isEmpty() || table.view().disagreementOfStates().isPresent()) {
      throw new EndedException("its state can't be believed");
    }
    return table;
  }

  /** What the ledger says that the table has. */
  private Map<Position, CanonicalRow> rowsOf(String name, SimTable table) {
    SimLedger ledger = simulation.ledger();
    Map<Position, CanonicalRow> rows = new TreeMap<>();
    Position to = table.property().flatMap(TableState::to).orElse(ledger.start());
    ledger
        .rows(ledger.start(), to)
        .forEach(
            (position, row) -> {
              if (ledger.tableOf(position).equals(name)) {
                rows.put(position, row);
              }
            });
    return rows;
  }

  // verify

  /** Every table, in peace and quiet. */
  void verifyAll() {
    lake.contents().tables().keySet().stream()
        .filter(name -> !name.equals(TableNames.WATERMARK))
        .forEach(this::expectAgreement);
    schedule.count("lakes verified");
  }

  private void verify(String name) {
    if (!name.equals(TableNames.WATERMARK)) {
      expectAgreement(name);
    }
  }

  private void expectAgreement(String name) {
    if (!digestsAgree(name)) {
      throw new AssertionError("verify: the rows of " + name + " have other digests than its log");
    }
  }

  /**
   * Whether the digests of what the commit log says that a table had at W come out of its rows, and
   * the chain over them is the one that W names.
   */
  boolean digestsAgree(String name) {
    Optional<TableAtWatermark> then = atWatermark(name);
    if (then.isEmpty() || then.get().to().isEmpty()) {
      return true; // no watermark yet
    }
    others();
    SimTable table = lake.table(name).orElseThrow(() -> new EndedException("no table"));
    others();
    NavigableMap<Position, TableEvent> ranges = logged(name, then.get().to().get());
    if (simulation.isDamaged() && !simulation.isQuiet()) {
      throw new EndedException("left alone");
    }
    Chain chain = Chain.ZERO;
    for (TableEvent event : ranges.values()) {
      String digest = digest(name, table, new Range(event.from(), event.to()));
      if (!digest.equals(event.digest())) {
        return false;
      }
      chain = chain.next(digest);
    }
    return chain.equals(then.get().chain());
  }

  private NavigableMap<Position, TableEvent> logged(String name, Position to) {
    NavigableMap<Position, TableEvent> ranges = new TreeMap<>();
    for (LakeEvent event : simulation.log().events()) {
      if (event instanceof TableEvent range
          && range.table().equals(name)
          && range.to().isAtOrBelow(to)) {
        ranges.put(range.to(), range);
      }
    }
    return ranges;
  }

  private String digest(String name, SimTable table, Range range) {
    RangeDigest digest =
        RangeDigest.begin(simulation.identity().stream(simulation.partition()), name, range);
    table
        .rows()
        .filter(row -> range.contains(row.position()))
        .sorted(Comparator.comparing(CanonicalRow::position))
        .forEach(digest::add);
    return HexFormat.of().formatHex(digest.finish());
  }
}
