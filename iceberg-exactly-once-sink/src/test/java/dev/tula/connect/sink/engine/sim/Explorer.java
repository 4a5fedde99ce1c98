package dev.tula.connect.sink.engine.sim;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.model.RangeDigest;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.model.event.CheckpointEvent;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.event.HaltEvent;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.model.event.TableEvent;
import dev.tula.connect.sink.engine.CommitEngine;
import dev.tula.connect.sink.engine.Effect;
import dev.tula.connect.sink.engine.EngineSettings;
import dev.tula.connect.sink.engine.EventsView;
import dev.tula.connect.sink.engine.KafkaPosition;
import dev.tula.connect.sink.engine.Lake.CommitReply;
import dev.tula.connect.sink.engine.Outcome;
import dev.tula.connect.sink.engine.Phase;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.engine.SealedRange;
import dev.tula.connect.sink.engine.SealedTable;
import dev.tula.connect.sink.engine.Stop;
import dev.tula.connect.sink.engine.TableCommit;
import dev.tula.connect.sink.engine.TableNames;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.engine.Writer;
import dev.tula.connect.sink.engine.WriterClaim;
import java.math.BigInteger;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Visits every state that two writers can bring a small lake to: each interleaving of their
 * effects, with crashes, lost replies, commits that are never sent and commits that land late, as
 * many as the {@link Limits} allow. In every state the invariants hold, nothing has halted, and
 * where nothing more can happen the lake is complete.
 *
 * <p>What is left out, because it brings no new state that matters: the order in which one writer
 * surveys the tables (nothing that is seen there decides more than the next phase), and steps
 * between staging and committing (staging touches nothing that is shared), and the time, which the
 * engine writes into events and decides nothing by. Histories are expired at once.
 */
final class Explorer {
  private static final InstantSource CLOCK = InstantSource.fixed(Instant.EPOCH);
  private static final int MAX_ATTEMPTS = 50;

  private final PipelineIdentity identity;
  private final EventIdentity eventIdentity;
  private final List<CanonicalRow> rows;
  private final Map<Position, String> tables;
  private final Position end;
  private final Limits limits;

  private final Interned<SimLake.Contents> lakes = new Interned<>();
  private final Interned<Events> logs = new Interned<>();
  private final Interned<Slot> slots = new Interned<>();
  private final Interned<List<TableCommit>> lates = new Interned<>();
  private final Map<Place, List<Move>> moves = new HashMap<>();
  private final Map<World, World> visited = new HashMap<>();
  private long transitions;
  private long ends;

  /**
   * How much may go wrong.
   *
   * @param crashesOfA of the first writer
   * @param crashesOfB of the second
   * @param lost replies that are lost, and commits that are never sent, together
   * @param late commits that land later, or never
   * @param states more than these are not visited
   */
  record Limits(int crashesOfA, int crashesOfB, int lost, int late, int states) {}

  /** What the topics hold, as far as it matters: their sum, and the commit log. */
  private record Events(EventsView view, Set<String> logged) {}

  /**
   * A writer.
   *
   * @param name its name
   * @param incarnation how often it was started anew
   * @param crashesLeft how often it may still crash
   * @param engine its engine
   */
  private record Slot(String name, int incarnation, int crashesLeft, CommitEngine.Snapshot engine) {
    String writerId() {
      return name + incarnation;
    }
  }

  /** A state of everything, by numbers. */
  private record World(int lake, int log, int a, int b, int late, int lostLeft, int lateLeft) {}

  /** Where a writer makes its moves. */
  private record Place(int slot, int lake, int log, boolean mayLose, boolean mayBeLate) {}

  /** What one writer may do, and what it makes of itself, the lake and the log. */
  private record Move(
      Supplier<String> what,
      int lake,
      int log,
      int slot,
      boolean lost,
      Optional<TableCommit> late) {
    Move but(String how, int otherSlot) {
      return new Move(() -> what.get() + how, lake, log, otherSlot, lost, late);
    }

    Move losing() {
      return new Move(what, lake, log, slot, true, late);
    }

    Move late(TableCommit commit) {
      return new Move(what, lake, log, slot, lost, Optional.of(commit));
    }
  }

  /** A step and where it leads. */
  private record Step(Supplier<String> what, World to) {}

  Explorer(
      PipelineIdentity identity,
      List<CanonicalRow> rows,
      Map<Position, String> tables,
      Limits limits) {
    this.identity = identity;
    this.eventIdentity = EventIdentity.of(identity.stream(0));
    this.rows = rows;
    this.tables = tables;
    this.end = rows.get(rows.size() - 1).position().endOfBatch();
    this.limits = limits;
  }

  long states() {
    return visited.size();
  }

  long transitions() {
    return transitions;
  }

  /** States in which nothing more can happen. */
  long ends() {
    return ends;
  }

  String parts() {
    return lakes.size() + " lakes, " + slots.size() + " writers, " + logs.size() + " logs";
  }

  /** Visits every state from an empty lake on. */
  void exploreFromNothing() {
    explore(SimLake.Contents.EMPTY, new Events(EventsView.EMPTY, Set.of()));
  }

  /** Visits every state from a lake on that a writer before has begun, and that has no row yet. */
  void exploreFromTheFirstWatermark() {
    List<LakeEvent> events = new ArrayList<>();
    SimLake lake = new SimLake(SimLake.Contents.EMPTY, (commit, before, after) -> {});
    CommitEngine first = engine("first", Optional.empty());
    while (!first.isIdle() || first.writer().orElseThrow().position().isEmpty()) {
      if (first.isIdle()) {
        start(first);
      }
      Effect effect = first.effects().iterator().next();
      first.complete(effect, perform(effect, lake, EventsView.of(eventIdentity, events), events));
    }
    explore(
        withoutHistory(lake.contents()),
        new Events(EventsView.of(eventIdentity, events), Set.of()));
  }

  private void explore(SimLake.Contents lake, Events events) {
    World begin =
        new World(
            lakes.number(lake),
            logs.number(events),
            slots.number(fresh("a", 1, limits.crashesOfA())),
            slots.number(fresh("b", 1, limits.crashesOfB())),
            lates.number(List.of()),
            limits.lost(),
            limits.late());
    Deque<World> open = new ArrayDeque<>();
    visited.put(begin, begin);
    open.push(begin);
    while (!open.isEmpty()) {
      World world = open.pop();
      for (Step step : checkedSteps(world)) {
        transitions++;
        if (visited.putIfAbsent(step.to(), world) == null) {
          if (visited.size() > limits.states()) {
            throw new IllegalStateException(
                "there are more than " + limits.states() + " states, and the rest is not visited");
          }
          open.push(step.to());
        }
      }
    }
  }

  private List<Step> checkedSteps(World world) {
    try {
      return steps(world);
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + after(world), e);
    } catch (RuntimeException e) {
      throw new IllegalStateException(e + after(world), e);
    }
  }

  private String after(World world) {
    return "\nafter\n" + String.join("\n", trace(world));
  }

  private List<String> trace(World world) {
    List<String> lines = new ArrayList<>();
    World at = world;
    while (!visited.get(at).equals(at)) {
      World before = visited.get(at);
      World after = at;
      lines.add(
          steps(before).stream()
              .filter(step -> step.to().equals(after))
              .map(step -> step.what().get())
              .findFirst()
              .orElse("?"));
      at = before;
    }
    Collections.reverse(lines);
    return lines;
  }

  private void checkEnd(World world) {
    Optional<Position> w = watermark(lakes.value(world.lake()));
    boolean oneIsDone =
        isDone(slots.value(world.a()).engine()) || isDone(slots.value(world.b()).engine());
    if (!w.equals(Optional.of(end)) || !oneIsDone) {
      throw new AssertionError("stuck: at W = " + w);
    }
  }

  private static boolean isDone(CommitEngine.Snapshot engine) {
    return engine.phase() instanceof Phase.Streaming;
  }

  private static Optional<Position> watermark(SimLake.Contents lake) {
    return Optional.ofNullable(lake.tables().get(TableNames.WATERMARK))
        .flatMap(SimTable::property)
        .flatMap(TableState::to);
  }

  private Slot fresh(String name, int incarnation, int crashesLeft) {
    return new Slot(
        name, incarnation, crashesLeft, engine(name + incarnation, Optional.empty()).snapshot());
  }

  private CommitEngine engine(String writerId, Optional<CommitEngine.Snapshot> snapshot) {
    EngineSettings settings =
        new EngineSettings(identity, 0, writerId, OptionalLong.empty(), MAX_ATTEMPTS);
    return snapshot.isPresent()
        ? new CommitEngine(settings, CLOCK, snapshot.get())
        : new CommitEngine(settings, CLOCK);
  }

  // Steps

  /** All that can happen next. Where no writer can do anything, the end is checked. */
  private List<Step> steps(World world) {
    List<Step> steps = new ArrayList<>();
    for (Move move : moves(world.a(), world)) {
      steps.add(new Step(move.what(), after(world, move, move.slot(), world.b())));
    }
    for (Move move : moves(world.b(), world)) {
      steps.add(new Step(move.what(), after(world, move, world.a(), move.slot())));
    }
    if (steps.isEmpty()) {
      ends++;
      checkEnd(world);
    }
    addLateLandings(world, steps);
    return steps;
  }

  private World after(World world, Move move, int a, int b) {
    int late = world.late();
    if (move.late().isPresent()) {
      List<TableCommit> more = new ArrayList<>(lates.value(late));
      more.add(move.late().get());
      late = lates.number(List.copyOf(more));
    }
    return new World(
        move.lake(),
        move.log(),
        a,
        b,
        late,
        world.lostLeft() - (move.lost() ? 1 : 0),
        world.lateLeft() - (move.late().isPresent() ? 1 : 0));
  }

  private void addLateLandings(World world, List<Step> steps) {
    List<TableCommit> late = lates.value(world.late());
    for (int i = 0; i < late.size(); i++) {
      List<TableCommit> left = new ArrayList<>(late);
      TableCommit commit = left.remove(i);
      SimLake lake = lakeOf(world.lake());
      lake.commit(commit);
      World to =
          new World(
              number(lake),
              world.log(),
              world.a(),
              world.b(),
              lates.number(List.copyOf(left)),
              world.lostLeft(),
              world.lateLeft());
      steps.add(new Step(() -> "late: " + Texts.of(commit), to));
    }
  }

  /** What a writer may do, which depends on nothing but itself, the lake and the log. */
  private List<Move> moves(int slot, World world) {
    boolean mayLose = world.lostLeft() > 0;
    boolean mayBeLate = world.lateLeft() > 0;
    return moves.computeIfAbsent(
        new Place(slot, world.lake(), world.log(), mayLose, mayBeLate), this::newMoves);
  }

  private List<Move> newMoves(Place place) {
    Slot slot = slots.value(place.slot());
    CommitEngine engine = engine(slot.writerId(), Optional.of(slot.engine()));
    checkStop(slot, engine.stopped());
    if (engine.isIdle()) {
      return cuts(place, slot, engine);
    }
    List<Move> moves = new ArrayList<>();
    boolean inOrder = engine.phase() instanceof Phase.Surveying;
    for (Effect effect : engine.effects()) {
      addMoves(place, slot, effect, moves);
      if (inOrder) {
        break;
      }
    }
    return List.copyOf(moves);
  }

  private static void checkStop(Slot slot, Optional<Stop> stop) {
    if (stop.isPresent() && stop.get().code() != Stop.Code.FENCED) {
      throw new AssertionError(
          Found.forNothing(stop.get().code()) + ": " + slot.writerId() + ": " + stop.get());
    }
  }

  private void addMoves(Place place, Slot slot, Effect effect, List<Move> moves) {
    SimLake lake = lakeOf(place.lake());
    List<LakeEvent> published = new ArrayList<>();
    Outcome outcome = perform(effect, lake, logs.value(place.log()).view(), published);
    if (effect instanceof Effect.Commit commit) {
      checkLogged(commit.commit(), lake.contents(), logs.value(place.log()).logged());
    }
    int lakeAfter = number(lake);
    int logAfter = withPublished(place.log(), published, lake.contents());
    Move done =
        new Move(
            () -> slot.writerId() + " " + Texts.of(effect),
            lakeAfter,
            logAfter,
            told(slot, effect, outcome),
            false,
            Optional.empty());
    moves.add(done);
    boolean writes = effect instanceof Effect.Commit || effect instanceof Effect.Publish;
    if (writes && slot.crashesLeft() > 0) {
      moves.add(done.but(", then it crashes", restarted(slot)));
    }
    if (effect instanceof Effect.Commit commit) {
      addUnknowns(place, slot, commit, done, moves);
    }
  }

  private void addUnknowns(
      Place place, Slot slot, Effect.Commit commit, Move done, List<Move> moves) {
    int told = told(slot, commit, new Outcome.Committed(new CommitReply.Unknown("?")));
    Move notDone = new Move(done.what(), place.lake(), place.log(), told, false, Optional.empty());
    if (place.mayLose()) {
      moves.add(done.but(", reply lost", told).losing());
      moves.add(notDone.but(", never sent", told).losing());
    }
    if (place.mayBeLate()) {
      moves.add(notDone.but(", late", told).late(commit.commit()));
      if (slot.crashesLeft() > 0) {
        moves.add(notDone.but(", late, and it crashes", restarted(slot)).late(commit.commit()));
      }
    }
  }

  /** It may cut at the end of any batch above W, or where it must. */
  private List<Move> cuts(Place place, Slot slot, CommitEngine engine) {
    Writer writer = engine.writer().orElseThrow();
    if (writer.position().isEmpty()) {
      start(engine);
      return List.of(local(place, slot, " START", engine));
    }
    List<Move> cuts = new ArrayList<>();
    for (Position to : cuts(writer)) {
      CommitEngine cutting = engine(slot.writerId(), Optional.of(slot.engine()));
      cutting.commit(range(writer, to));
      while (cutting.phase() instanceof Phase.Staging) {
        Effect.Stage stage = (Effect.Stage) cutting.effects().iterator().next();
        cutting.complete(stage, stage(stage));
      }
      cuts.add(local(place, slot, " cuts at " + to, cutting));
    }
    return List.copyOf(cuts);
  }

  /** A move that changes nothing but the writer. */
  private Move local(Place place, Slot slot, String what, CommitEngine engine) {
    return new Move(
        () -> slot.writerId() + what,
        place.lake(),
        place.log(),
        number(slot, engine),
        false,
        Optional.empty());
  }

  private Set<Position> cuts(Writer writer) {
    if (writer.forcedCut().isPresent()) {
      return Set.of(writer.forcedCut().get());
    }
    Set<Position> ends = new TreeSet<>();
    for (CanonicalRow row : rows) {
      if (row.position().isAfter(writer.position().orElseThrow())) {
        ends.add(row.position().endOfBatch());
      }
    }
    return ends;
  }

  private void start(CommitEngine engine) {
    engine.start(
        new StreamItem.Start(Position.ORIGIN, 0, identity.stream(0)),
        new KafkaPosition(SimTopic.NAME, 0, 1));
  }

  private SealedRange range(Writer writer, Position to) {
    Position w = writer.position().orElseThrow();
    Map<String, SealedTable> sealed = new TreeMap<>();
    for (String table : writer.tables().keySet()) {
      long count = rows(table, w, to).size();
      if (count > 0) {
        sealed.put(table, new SealedTable(table, count, Optional.of(BigInteger.valueOf(count))));
      }
    }
    long decoded = rows.stream().filter(row -> row.position().isAtOrBelow(to)).count();
    return new SealedRange(
        to, to.globalBatchSeq(), decoded, new KafkaPosition(SimTopic.NAME, 0, decoded + 1), sealed);
  }

  private List<CanonicalRow> rows(String table, Position from, Position to) {
    Range range = new Range(from, to);
    return rows.stream()
        .filter(row -> range.contains(row.position()))
        .filter(row -> tables.get(row.position()).equals(table))
        .toList();
  }

  private Outcome stage(Effect.Stage stage) {
    List<CanonicalRow> staged = rows(stage.table(), stage.range().from(), stage.range().to());
    RangeDigest digest = RangeDigest.begin(identity.stream(0), stage.table(), stage.range());
    staged.forEach(digest::add);
    return new Outcome.Staged(
        HexFormat.of().formatHex(digest.finish()),
        stage.digestOnly()
            ? Optional.empty()
            : Optional.of(new SimFile(stage.table() + " to " + stage.range().to(), staged)));
  }

  private Outcome perform(
      Effect effect, SimLake lake, EventsView events, List<LakeEvent> published) {
    if (effect instanceof Effect.LookUpIdentity) {
      return new Outcome.IdentityLookedUp(lake.lookUpIdentity());
    }
    if (effect instanceof Effect.CreateIdentity) {
      lake.createIdentity(identity);
      return new Outcome.Done();
    }
    if (effect instanceof Effect.ReadEvents) {
      return new Outcome.EventsRead(events);
    }
    if (effect instanceof Effect.LoadTable load) {
      return new Outcome.TableLoaded(lake.load(load.table()));
    }
    if (effect instanceof Effect.CreateTable create) {
      if (lake.table(create.table()).isEmpty()) {
        lake.set(create.table(), SimTable.created("uuid of " + create.table()));
      }
      return new Outcome.Done();
    }
    if (effect instanceof Effect.Commit commit) {
      return new Outcome.Committed(lake.commit(commit.commit()));
    }
    published.addAll(((Effect.Publish) effect).events());
    return new Outcome.Done();
  }

  // Worlds

  private SimLake lakeOf(int lake) {
    return new SimLake(lakes.value(lake), this::checkLanded);
  }

  private int number(SimLake lake) {
    return lakes.number(withoutHistory(lake.contents()));
  }

  /** Ids and older snapshots tell apart what is the same for the protocol. */
  private static SimLake.Contents withoutHistory(SimLake.Contents contents) {
    Map<String, SimTable> tables = new TreeMap<>();
    contents
        .tables()
        .forEach(
            (name, table) -> {
              List<SimTable.Snapshot> newest =
                  table.main().isEmpty()
                      ? List.of()
                      : List.of(
                          new SimTable.Snapshot(
                              1, table.newestOurs().orElseThrow().state(), table.files()));
              tables.put(
                  name,
                  new SimTable(
                      table.uuid(),
                      table.property(),
                      newest,
                      1,
                      table.halts(),
                      table.clearedHalts()));
            });
    return new SimLake.Contents(contents.identity(), tables);
  }

  private int number(Slot slot, CommitEngine engine) {
    return slots.number(
        new Slot(slot.name(), slot.incarnation(), slot.crashesLeft(), engine.snapshot()));
  }

  private int told(Slot slot, Effect effect, Outcome outcome) {
    CommitEngine engine = engine(slot.writerId(), Optional.of(slot.engine()));
    engine.complete(effect, outcome);
    return number(slot, engine);
  }

  private int restarted(Slot slot) {
    return slots.number(fresh(slot.name(), slot.incarnation() + 1, slot.crashesLeft() - 1));
  }

  private int withPublished(int log, List<LakeEvent> published, SimLake.Contents lake) {
    if (published.isEmpty()) {
      return log;
    }
    Events before = logs.value(log);
    Set<String> logged = new TreeSet<>(before.logged());
    List<LakeEvent> all = new ArrayList<>();
    before.view().newestCheckpoint().ifPresent(all::add);
    for (LakeEvent event : published) {
      checkPublished(event, lake);
      if (event instanceof TableEvent table) {
        logged.add(logged(table.table(), new Range(table.from(), table.to())));
      }
      all.add(event);
    }
    EventsView summed = EventsView.of(eventIdentity, all);
    EventsView view =
        new EventsView(
            summed.newestCheckpoint(),
            Math.max(before.view().highestEpoch(), summed.highestEpoch()),
            true,
            summed.halts(),
            summed.clearedHalts());
    return logs.number(new Events(view, logged));
  }

  private static String logged(String table, Range range) {
    return table + " " + range;
  }

  // Invariants

  /** C19: W lands after the table events of everything at or below it. */
  private static void checkLogged(TableCommit commit, SimLake.Contents lake, Set<String> logged) {
    if (!(commit.change() instanceof TableCommit.Change.ReplaceRow)) {
      return;
    }
    Map<String, SimTable> data = new TreeMap<>(lake.tables());
    data.remove(TableNames.WATERMARK);
    data.forEach(
        (name, table) ->
            table
                .property()
                .flatMap(TableState::range)
                .filter(last -> last.range().to().isAtOrBelow(commit.next().to().orElseThrow()))
                .ifPresent(
                    last ->
                        check(
                            logged.contains(logged(name, last.range())),
                            "C19: the commit log lacks %s %s",
                            name,
                            last.range())));
  }

  private void checkLanded(TableCommit commit, SimTable before, SimTable after) {
    Optional<WriterClaim> older = before.property().map(TableState::claim);
    WriterClaim claim = commit.next().claim();
    boolean overtakes = older.isEmpty() || claim.isNewerThan(older.get());
    check(overtakes || claim.equals(older.get()), "I5: %s", Texts.of(commit));
    if (!commit.table().equals(TableNames.WATERMARK)) {
      List<CanonicalRow> held = after.rows().toList();
      Position to = commit.next().to().orElse(Position.ORIGIN);
      check(held.equals(rows(commit.table(), Position.ORIGIN, to)), "I1: %s", Texts.of(commit));
    }
  }

  private void checkPublished(LakeEvent event, SimLake.Contents lake) {
    check(!(event instanceof HaltEvent), "86 for nothing: %s", event);
    if (event instanceof CheckpointEvent checkpoint) {
      Optional<Position> w = watermark(lake);
      check(w.isPresent() && checkpoint.to().isAtOrBelow(w.get()), "I4: %s at W = %s", event, w);
      checkComplete(lake, w.get());
    }
  }

  /** I2, at every W that is told to anybody. */
  private void checkComplete(SimLake.Contents lake, Position w) {
    lake.tables()
        .forEach(
            (name, table) -> {
              List<CanonicalRow> below =
                  table.rows().filter(row -> row.position().isAtOrBelow(w)).toList();
              check(
                  name.equals(TableNames.WATERMARK) || below.equals(rows(name, Position.ORIGIN, w)),
                  "I2: %s at W = %s",
                  name,
                  w);
            });
  }

  private static void check(boolean holds, String what, Object... values) {
    if (!holds) {
      throw new AssertionError(String.format(what, values));
    }
  }
}
