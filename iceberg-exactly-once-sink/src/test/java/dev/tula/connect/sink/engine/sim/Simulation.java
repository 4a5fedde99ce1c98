package dev.tula.connect.sink.engine.sim;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.sink.engine.AssemblyLimits;
import dev.tula.connect.sink.engine.CommitKind;
import dev.tula.connect.sink.engine.Effect;
import dev.tula.connect.sink.engine.EffectRunner;
import dev.tula.connect.sink.engine.Lake.CommitReply;
import dev.tula.connect.sink.engine.Layout;
import dev.tula.connect.sink.engine.Outcome;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.engine.TableCommit;
import dev.tula.connect.sink.engine.TableState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One run: writers, source, maintenance jobs and faults take turns as the seed says; then the
 * faults end, and one writer must bring the lake to the truth. If there was real damage, it must
 * halt first, stay halted, and go on once the damage is undone and the halt is cleared.
 */
public final class Simulation {
  private static final long MAX_CLOCK_BEHIND_MS = 60_000;

  private final Schedule schedule;
  private final PipelineIdentity identity;
  private final int partition;
  private final EventIdentity eventIdentity;
  private final Faults faults;
  private final Optional<Corruption.Kind> damageWanted;
  private final OptionalLong fixedEpoch;
  private final boolean mixedEpochs;
  private final AssemblyLimits limits;
  private final SimLedger ledger;
  private final SimTopic topic = new SimTopic();
  private final SimSource source;
  private final Checks checks;
  private final SimLake lake;
  private final SimLog log;
  private final EffectRunner runner;
  private final List<SimWriter> writers = new ArrayList<>();
  private final List<Op> underWay = new ArrayList<>();
  private final List<Op> late = new ArrayList<>();
  private final Map<String, Long> lastCommitsMs = new HashMap<>();
  private Optional<SimLake.Contents> backup = Optional.empty();
  private Optional<Corruption> damage = Optional.empty();
  private boolean repaired;
  private boolean quiet;
  private final SimKeeper keeper;
  private int started;

  /** How likely what goes wrong goes wrong. */
  private record Faults(
      double failed,
      double refused,
      double lostReply,
      double falseConflict,
      double neverSent,
      double late,
      double crash,
      double pause) {
    static Faults random(Schedule schedule) {
      double scale = schedule.pick(List.of(0.0, 0.3, 1.0, 2.0));
      return new Faults(
          0.03 * scale,
          0.002 * scale,
          0.05 * scale,
          0.04 * scale,
          0.03 * scale,
          0.06 * scale,
          schedule.pick(List.of(0.0, 0.005, 0.02)),
          0.01 * scale);
    }
  }

  /** Sets up the run of a seed. */
  public Simulation(Schedule schedule) {
    this.schedule = schedule;
    int count = schedule.pick(List.of(1, 1, 2, 3));
    this.partition = schedule.below(count);
    this.identity = randomIdentity(schedule, count);
    this.eventIdentity = EventIdentity.of(identity.stream(partition));
    this.faults = Faults.random(schedule);
    this.damageWanted =
        schedule.chance(0.4)
            ? Optional.of(schedule.pick(List.of(Corruption.Kind.values())))
            : Optional.empty();
    this.fixedEpoch = schedule.chance(0.2) ? OptionalLong.of(3) : OptionalLong.empty();
    this.mixedEpochs = fixedEpoch.isEmpty() && schedule.chance(0.2);
    this.limits =
        new AssemblyLimits(
            schedule.between(1, 30), schedule.between(200, 9000), schedule.between(2, 40));
    this.ledger = SimLedger.random(schedule, identity, partition, schedule.between(3, 24));
    this.checks = new Checks(identity, partition, ledger, topic);
    this.lake = new SimLake(SimLake.Contents.EMPTY, this::landed);
    this.log = new SimLog(eventIdentity, checks::published);
    this.runner = new EffectRunner(identity, partition, lake, log);
    this.source =
        new SimSource(schedule, ledger, identity.stream(partition), topic, schedule.chance(0.3));
    checks.watch(lake);
    this.keeper = new SimKeeper(this);
  }

  private static PipelineIdentity randomIdentity(Schedule schedule, int count) {
    boolean metadata = schedule.chance(0.25);
    return new PipelineIdentity(
        "cluster",
        "pipeline",
        schedule.between(1, 2),
        count,
        schedule.pick(List.of(Layout.SHARED, Layout.BY_MODE, Layout.BY_MODE, Layout.BY_TYPE)),
        metadata,
        metadata && schedule.chance(0.5),
        28,
        PipelineIdentity.FORMAT);
  }

  private void landed(TableCommit commit, SimTable before, SimTable after) {
    schedule.note(() -> "    landed: " + Texts.of(commit));
    checks.landed(commit, before, after);
  }

  Schedule schedule() {
    return schedule;
  }

  SimLake lake() {
    return lake;
  }

  SimLog log() {
    return log;
  }

  SimTopic topic() {
    return topic;
  }

  SimSource source() {
    return source;
  }

  SimLedger ledger() {
    return ledger;
  }

  Checks checks() {
    return checks;
  }

  EventIdentity eventIdentity() {
    return eventIdentity;
  }

  Optional<Corruption> damage() {
    return damage;
  }

  SimKeeper keeper() {
    return keeper;
  }

  PipelineIdentity identity() {
    return identity;
  }

  int partition() {
    return partition;
  }

  /** Whether a repair of ours undid the damage. */
  boolean isRepaired() {
    return repaired;
  }

  /** The damage is undone by a repair. */
  void repaired() {
    repaired = true;
    checks.harmless();
  }

  /** Whether something in the lake is damaged now. */
  boolean isDamaged() {
    return damage.isPresent() && !repaired;
  }

  /** Whether the faults are over. */
  boolean isQuiet() {
    return quiet;
  }

  /** The lake as it was at some time before. */
  Optional<SimLake.Contents> backup() {
    return backup;
  }

  /**
   * Runs it to its end.
   *
   * @throws AssertionError saying what was broken
   */
  public void run() {
    int steps = schedule.between(100, 500 + 60 * identity.tables().size());
    for (int i = 0; i < steps; i++) {
      schedule.nextStep();
      turn();
    }
    schedule.note(() -> "the faults end");
    quiet = true;
    crashAllForGood();
    source.finish();
    new Aftermath(this).run();
    checks.complete();
    if (!log.acked().equals(watermark())) {
      throw new AssertionError("C11: acked is " + log.acked() + " at W = " + watermark());
    }
  }

  /** Something happens, somewhere. */
  void turn() {
    int dice = schedule.below(100);
    if (dice < 12) {
      source.step();
    } else if (dice < 47) {
      turnOfWriter();
    } else if (dice < 90) {
      turnOfRequest();
    } else if (dice < 93) {
      turnOfLateRequest();
    } else if (dice < 96) {
      maintain();
    } else if (dice < 98) {
      log.acked().ifPresent(checks::acked);
      writers.forEach(SimWriter::checkCommittedOffset);
    } else {
      startOrBreak();
    }
  }

  private void turnOfWriter() {
    List<SimWriter> awake =
        writers.stream().filter(writer -> writer.isAlive() && !writer.isPaused()).toList();
    if (awake.isEmpty()) {
      startWriter(anyEpoch());
      return;
    }
    SimWriter writer = schedule.pick(awake);
    if (schedule.chance(faults.crash())) {
      crash(writer);
    } else if (schedule.chance(faults.pause())) {
      schedule.note(() -> writer.name() + " pauses");
      writer.pause(schedule.between(20, 300));
    } else {
      act(writer);
    }
  }

  private void act(SimWriter writer) {
    writer.wake();
    if (schedule.chance(0.003)) {
      writer.setClock();
    }
    int dice = schedule.below(10);
    if (schedule.chance(0.06)) {
      stretch(writer);
    } else if (dice < 4) {
      send(writer, schedule.chance(0.6) ? Integer.MAX_VALUE : 1);
    } else if (dice < 7) {
      writer.read(schedule.between(1, 8));
    } else if (dice < 8) {
      writer.wantCut();
    } else if (dice < 9) {
      writer.compareReplays();
    } else {
      writer.cutIfDue();
    }
    if (schedule.chance(0.005)) {
      writer.rewind(Math.max(topic.start(), topic.end() - schedule.between(1, 30)));
    }
  }

  /** For a while nothing comes between this writer and the lake. */
  private void stretch(SimWriter writer) {
    int turns = schedule.between(5, 60);
    for (int i = 0; i < turns && writer.isAlive(); i++) {
      send(writer, Integer.MAX_VALUE);
      Optional<Op> first = underWay.stream().filter(op -> op.owner() == writer).findFirst();
      if (first.isPresent()) {
        move(first.get());
      } else if (!writer.read(schedule.between(1, 12)) && !writer.cutIfDue()) {
        writer.wantCut();
      }
    }
  }

  private void send(SimWriter writer, int requests) {
    for (int i = 0; i < requests; i++) {
      Optional<Op> op = writer.send();
      if (op.isEmpty()) {
        return;
      }
      underWay.add(op.get());
    }
  }

  private void turnOfRequest() {
    underWay.removeIf(op -> !op.owner().isAlive() && op.outcome().isPresent());
    List<Op> moving = underWay.stream().filter(op -> !op.owner().isPaused()).toList();
    if (moving.isEmpty()) {
      return;
    }
    move(schedule.pick(moving));
  }

  private void move(Op op) {
    if (op.outcome().isPresent()) {
      answer(op);
    } else if (op.falselyRefused().isPresent()) {
      if (schedule.chance(0.3)) {
        lookAgain(op);
      }
    } else if (schedule.chance(faults.failed())) {
      fail(op, "fails before it does anything");
    } else if (schedule.chance(refused(op))) {
      refuse(op);
    } else if (op.isCommit() && schedule.chance(faults.neverSent())) {
      unknown(op, "is never sent");
    } else if (op.isCommit() && schedule.chance(faults.late())) {
      late.add(op);
      unknown(op, "is late");
    } else if (isTooOld(op)) {
      fail(op, "is more than a minute older than the table's last commit");
    } else {
      carryOut(op);
      if (op.outcome().isPresent() && schedule.chance(0.6)) {
        answer(op);
      }
    }
  }

  /** Iceberg takes no commit that is a minute older than the last; it is sent again (C23). */
  private boolean isTooOld(Op op) {
    return op.effect() instanceof Effect.Commit commit
        && op.owner().clockMs() < lastCommitMs(commit.commit()) - MAX_CLOCK_BEHIND_MS;
  }

  private long lastCommitMs(TableCommit commit) {
    return lastCommitsMs.getOrDefault(commit.uuid(), 0L);
  }

  private void fail(Op op, String how) {
    schedule.note(() -> op + " " + how);
    schedule.count(how);
    underWay.remove(op);
    op.owner().failed(op.effect());
  }

  /**
   * What a writer found must outlive this above all, and findings are rare. But one that may not
   * even look can't know that it was overtaken.
   */
  private double refused(Op op) {
    if (op.owner().engine().finding().isEmpty()) {
      return faults.refused();
    }
    return op.effect() instanceof Effect.LoadTable ? 0 : 30 * faults.refused();
  }

  private void refuse(Op op) {
    schedule.note(() -> op + " is refused for good");
    schedule.count("is refused for good");
    underWay.remove(op);
    op.owner().refused(op.effect());
  }

  private void unknown(Op op, String how) {
    schedule.note(() -> op + " " + how);
    schedule.count("unknown: " + how);
    underWay.remove(op);
    op.owner().answered(op.effect(), new Outcome.Committed(new CommitReply.Unknown(how)));
  }

  private void answer(Op op) {
    if (op.isCommit() && schedule.chance(faults.lostReply())) {
      unknown(op, "was carried out, and its reply is lost");
    } else if (op.isWrite() && !op.isCommit() && schedule.chance(faults.lostReply())) {
      fail(op, "was carried out, and seems to have failed");
    } else {
      underWay.remove(op);
      op.owner().answered(op.effect(), op.outcome().orElseThrow());
    }
  }

  private void carryOut(Op op) {
    schedule.note(() -> op + " is carried out");
    Outcome outcome = runner.run(op.effect(), op.rows());
    if (outcome instanceof Outcome.Committed committed
        && committed.reply() instanceof CommitReply.Landed landed) {
      TableCommit commit = ((Effect.Commit) op.effect()).commit();
      lastCommitsMs.merge(commit.uuid(), op.owner().clockMs(), Math::max);
      if (!quiet && schedule.chance(faults.falseConflict())) {
        schedule.note(() -> op + " landed, and is called a conflict");
        op.refusedFalsely(landed.snapshotId());
        if (schedule.chance(0.3)) {
          maintainOurselves(commit.table());
          expire(commit.table());
        }
        return;
      }
    }
    op.carriedOut(outcome);
  }

  /**
   * The catalog called a commit that landed a conflict. As the lake's adapter does, the table is
   * read again, which others may have come to first: the commit's snapshot is there, or the commit
   * is tried anew, and refused where others built upon it and expired it (C16, C17).
   */
  private void lookAgain(Op op) {
    TableCommit commit = ((Effect.Commit) op.effect()).commit();
    long snapshotId = op.falselyRefused().getAsLong();
    boolean there =
        lake.table(commit.table())
            .filter(table -> table.uuid().equals(commit.uuid()) && table.has(snapshotId))
            .isPresent();
    CommitReply reply = there ? new CommitReply.Landed(snapshotId) : lake.commit(commit);
    schedule.count(
        reply instanceof CommitReply.Landed
            ? "false conflicts that were seen through"
            : "refused, though it landed and was built upon");
    op.carriedOut(new Outcome.Committed(reply));
  }

  private void turnOfLateRequest() {
    keeper.landLate();
    if (late.isEmpty()) {
      return;
    }
    Op op = late.remove(schedule.below(late.size()));
    if (schedule.chance(0.7)) {
      schedule.note(() -> op + " lands late, if it can");
      Outcome outcome = runner.run(op.effect(), op.rows());
      boolean landed =
          outcome instanceof Outcome.Committed committed
              && committed.reply() instanceof CommitReply.Landed;
      schedule.count(landed ? "late landings" : "late and refused, or no commit");
    }
  }

  /** What other jobs do to a lake and a topic that is no harm. */
  private void maintain() {
    int dice = schedule.below(16);
    if (dice >= 12) {
      keeper.runAnyCommand();
    } else if (dice < 3) {
      anyTable().ifPresent(this::compactByOther);
    } else if (dice < 6) {
      anyTable().ifPresent(this::expire);
    } else if (dice < 8) {
      anyTable().ifPresent(this::maintainOurselves);
    } else if (dice < 9) {
      compactEvents();
    } else if (dice < 10) {
      truncateTopic();
    } else if (dice < 11) {
      if (backup.isEmpty() || schedule.chance(0.3) && damage.isEmpty()) {
        backup = Optional.of(lake.contents());
      }
    } else if (schedule.chance(0.5)) {
      recreateTopic();
    }
  }

  private void compactEvents() {
    Optional<Position> newest = log.acked();
    log.compact();
    schedule.count("event topics compacted");
    if (!log.acked().equals(newest)) {
      throw new AssertionError("C20: compaction loses the newest checkpoint, " + newest);
    }
  }

  Optional<String> anyTable() {
    List<String> names = List.copyOf(lake.contents().tables().keySet());
    return names.isEmpty() ? Optional.empty() : Optional.of(schedule.pick(names));
  }

  private boolean isDamaged(String table) {
    return !repaired && damage.flatMap(Corruption::table).equals(Optional.of(table));
  }

  private void compactByOther(String name) {
    SimTable table = lake.table(name).orElseThrow();
    if (!isDamaged(name) && !table.files().isEmpty()) {
      schedule.note(() -> "somebody compacts " + name);
      schedule.count("foreign compactions");
      String location = "compacted-" + table.nextId();
      lake.set(name, table.afterForeign(List.of(new SimFile(location, table.rows().toList()))));
    }
  }

  private void expire(String name) {
    SimTable table = lake.table(name).orElseThrow();
    if (!isDamaged(name) && table.main().size() > 1) {
      schedule.note(() -> "snapshots of " + name + " expire");
      schedule.count("foreign expiries");
      int from = schedule.between(1, table.main().size() - 1);
      List<SimTable.Snapshot> left = new ArrayList<>(table.main());
      left.removeIf(
          snapshot ->
              snapshot.id() < table.main().get(from).id() && !table.tags().contains(snapshot.id()));
      lake.set(name, table.withMain(left));
    }
  }

  private void maintainOurselves(String name) {
    SimTable table = lake.table(name).orElseThrow();
    if (!isDamaged(name) && table.property().isPresent()) {
      CommitKind kind =
          schedule.pick(List.of(CommitKind.COMPACT, CommitKind.CLEANUP, CommitKind.PIN));
      schedule.note(() -> "our own " + kind + " of " + name);
      schedule.count("our own commits beside the writers");
      commitBeside(name, table, kind, Map.of());
    }
  }

  /** A commit of ours that is no writer's. */
  void commitBeside(String name, SimTable table, CommitKind kind, Map<String, String> properties) {
    TableState state = table.property().orElseThrow();
    lake.commit(
        new TableCommit(
            name,
            table.uuid(),
            Optional.of(state),
            state.after(kind),
            new TableCommit.Change.NoRows(),
            properties));
  }

  private boolean mayChangeTopic() {
    boolean needed =
        damageWanted.isPresent()
            && (damageWanted.get() == Corruption.Kind.LAKE_SET_BACK
                || damageWanted.get() == Corruption.Kind.ITEM_REMOVED
                || damageWanted.get() == Corruption.Kind.ROW_ALTERED
                || damageWanted.get() == Corruption.Kind.ROW_ABOVE_W_ALTERED);
    return !needed && damage.isEmpty();
  }

  Optional<Position> watermark() {
    return lake.watermark().flatMap(TableState::to);
  }

  /** Retention deletes some of what is in the lake. */
  private void truncateTopic() {
    Optional<Position> w = watermark();
    if (!mayChangeTopic() || w.isEmpty()) {
      return;
    }
    long to = topic.start();
    int most = schedule.below(40);
    for (Map.Entry<Long, StreamItem> item : topic.items().entrySet()) {
      if (item.getValue().provesTo().isAfter(w.get()) || to == topic.start() + most) {
        break;
      }
      to = item.getKey() + 1;
    }
    if (to > topic.start()) {
      schedule.count("topics that retention cut off");
    }
    topic.truncate(to);
    schedule.note(() -> "retention deletes the topic up to offset " + topic.start());
  }

  /** A topic with the same records at other offsets: positions decide, never offsets. */
  private void recreateTopic() {
    if (!mayChangeTopic()) {
      return;
    }
    schedule.note(() -> "the topic is created anew");
    schedule.count("topics re-created");
    crashAllForGood();
    topic.recreate();
    checks.topicRecreated();
    source.reset(watermark().filter(w -> schedule.chance(0.5)).flatMap(this::atOrBelow));
  }

  private Optional<Position> atOrBelow(Position w) {
    List<Position> candidates = new ArrayList<>(ledger.rows(ledger.start(), w).keySet());
    candidates.add(w);
    return Optional.of(schedule.pick(candidates));
  }

  private void startOrBreak() {
    long alive = writers.stream().filter(SimWriter::isAlive).count();
    if (alive < 3 && schedule.chance(0.4)) {
      startWriter(anyEpoch());
    } else if (damageWanted.isPresent() && damage.isEmpty() && schedule.chance(0.5)) {
      damage = Corruption.strike(damageWanted.get(), this);
      damage.ifPresent(this::struck);
    }
  }

  private void struck(Corruption done) {
    schedule.note(() -> "damage: " + done.kind() + " " + done.table().orElse(""));
    schedule.count("damage: " + done.kind());
    done.table().ifPresent(checks::tampered);
    if (done.kind() == Corruption.Kind.LAKE_SET_BACK) {
      checks.setBack(log.acked().orElseThrow());
    }
  }

  /** Somebody may have configured an epoch that others passed long ago. */
  private OptionalLong anyEpoch() {
    return mixedEpochs && schedule.chance(0.4)
        ? OptionalLong.of(schedule.between(1, 9))
        : fixedEpoch;
  }

  SimWriter startWriter() {
    return startWriter(fixedEpoch);
  }

  private SimWriter startWriter(OptionalLong epoch) {
    started++;
    SimWriter writer =
        new SimWriter(
            "w" + started, schedule, lake, topic, checks, identity, partition, epoch, limits);
    schedule.note(() -> writer.name() + " starts");
    schedule.count("starts");
    writers.removeIf(old -> !old.isAlive());
    if (!writers.isEmpty()) {
      schedule.count("starts beside a living writer");
    }
    writers.add(writer);
    return writer;
  }

  private void crash(SimWriter writer) {
    schedule.note(() -> writer.name() + " crashes");
    schedule.count("crashes");
    writer.crash();
    for (Op op : List.copyOf(underWay)) {
      if (op.owner() == writer) {
        underWay.remove(op);
        boolean unsent = op.outcome().isEmpty() && op.falselyRefused().isEmpty();
        if (unsent && op.isWrite() && schedule.chance(0.5)) {
          late.add(op);
        }
      }
    }
  }

  /** No writer runs any more, and nothing is under way. */
  void crashAllForGood() {
    writers.forEach(SimWriter::crash);
    writers.clear();
    underWay.clear();
    late.clear();
    keeper.nothingLandsLate();
  }

  // For the quiet end: no faults, one writer at a time, requests in the order in which they were
  // sent.

  /** Lets one writer do one thing, without faults. Returns whether there was anything to do. */
  boolean quietTurn(SimWriter writer) {
    schedule.nextStep();
    send(writer, Integer.MAX_VALUE);
    if (!underWay.isEmpty()) {
      Op op = underWay.remove(0);
      if (isTooOld(op)) {
        fail(op, "is more than a minute older than the table's last commit");
        return true;
      }
      carryOut(op);
      op.owner().answered(op.effect(), op.outcome().orElseThrow());
      return true;
    }
    if (writer.read(schedule.between(1, 40)) || writer.cutIfDue()) {
      return true;
    }
    if (!writer.compareReplays()) {
      return true;
    }
    writer.wantCut();
    return writer.cutIfDue();
  }
}
