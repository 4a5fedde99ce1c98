package dev.tula.connect.sink.engine.sim;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.model.StreamItem;
import dev.tula.connect.sink.engine.AssemblyLimits;
import dev.tula.connect.sink.engine.CommitEngine;
import dev.tula.connect.sink.engine.CutRange;
import dev.tula.connect.sink.engine.Effect;
import dev.tula.connect.sink.engine.EngineSettings;
import dev.tula.connect.sink.engine.Finding;
import dev.tula.connect.sink.engine.HaltReason;
import dev.tula.connect.sink.engine.KafkaPosition;
import dev.tula.connect.sink.engine.Outcome;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.engine.RangeAssembler;
import dev.tula.connect.sink.engine.SealedRange;
import dev.tula.connect.sink.engine.Stop;
import dev.tula.connect.sink.engine.TableRows;
import dev.tula.connect.sink.engine.Verdict;
import dev.tula.connect.sink.engine.Writer;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A sink task's partition writer as the real one drives engine and assembler, with every step of it
 * in the scheduler's hands.
 */
final class SimWriter {
  private static final List<Integer> CLOCKS_BEHIND_S = List.of(0, 0, 0, 0, 0, 0, 20, 90, -90);

  private final String name;
  private final Schedule schedule;
  private final SimLake lake;
  private final SimTopic topic;
  private final Checks checks;
  private final PipelineIdentity identity;
  private final CommitEngine engine;
  private final RangeAssembler assembler;
  // A list, as to hash a commit is to hash its rows.
  private final List<Effect> running = new ArrayList<>();
  private final List<Replay> toCompare = new ArrayList<>();
  private final RowReader reader = new RowReader();
  private final int partition;

  private boolean alive = true;
  private boolean reading;
  private long nextOffset;
  private Position linkedTo = Position.ORIGIN;
  private boolean linked;
  private Optional<StreamItem.Start> beginning = Optional.empty();
  private long beginningOffset;
  private boolean committing;
  private Map<String, TableRows> committingRows = Map.of();
  private OptionalLong committedOffset = OptionalLong.empty();
  private long pausedUntil;
  private boolean asleep;
  private long clockBehindMs;

  /** A replayed row that has yet to be compared with the lake. */
  private record Replay(CanonicalRow row, long offset) {}

  SimWriter(
      String name,
      Schedule schedule,
      SimLake lake,
      SimTopic topic,
      Checks checks,
      PipelineIdentity identity,
      int partition,
      OptionalLong fixedEpoch,
      AssemblyLimits limits) {
    this.name = name;
    this.schedule = schedule;
    this.lake = lake;
    this.topic = topic;
    this.checks = checks;
    this.identity = identity;
    this.partition = partition;
    this.clockBehindMs = 1000L * schedule.pick(CLOCKS_BEHIND_S);
    InstantSource clock = () -> Instant.ofEpochMilli(clockMs());
    this.engine =
        new CommitEngine(new EngineSettings(identity, partition, name, fixedEpoch, 6), clock);
    this.assembler = new RangeAssembler(identity, partition, SimTopic.NAME, limits);
  }

  String name() {
    return name;
  }

  CommitEngine engine() {
    return engine;
  }

  RangeAssembler assembler() {
    return assembler;
  }

  Optional<Stop> stopped() {
    return engine.stopped();
  }

  /** Whether it runs: neither crashed nor ended. */
  boolean isAlive() {
    return alive && stopped().isEmpty();
  }

  void crash() {
    alive = false;
  }

  boolean isPaused() {
    return schedule.step() < pausedUntil;
  }

  void pause(int steps) {
    pausedUntil = schedule.step() + steps;
    asleep = true;
    schedule.count("pauses");
  }

  /** Notes that it goes on, if it was paused. */
  void wake() {
    if (asleep) {
      asleep = false;
      schedule.count("wakes");
    }
  }

  /** What its clock shows, which may be ahead or behind, and may be set back while it runs. */
  long clockMs() {
    return schedule.nowMs() - clockBehindMs;
  }

  /** Somebody sets its clock, backwards or forwards. */
  void setClock() {
    long before = clockBehindMs;
    clockBehindMs = 1000L * schedule.pick(CLOCKS_BEHIND_S);
    schedule.note(() -> name + "'s clock is now " + clockBehindMs + " ms behind");
    if (clockBehindMs > before) {
      schedule.count("clocks set back");
    }
  }

  /** Holds the offset that its {@code preCommit} would return against I3. */
  void checkCommittedOffset() {
    committedOffset.ifPresent(offset -> checks.offsetCommitted(name, offset));
  }

  /** Sends one more of the effects that the engine wants, if there is one. */
  Optional<Op> send() {
    for (Effect effect : engine.effects()) {
      if (!running.contains(effect)) {
        running.add(effect);
        Op op = new Op(this, effect, committingRows);
        schedule.note(() -> op + " is sent");
        return Optional.of(op);
      }
    }
    return Optional.empty();
  }

  /** A request failed before it did anything, or seems so: it will be sent again. */
  void failed(Effect effect) {
    running.remove(effect);
  }

  /**
   * A request is refused for good, and the writer ends; but a finding of its own is not lost over
   * that (C25).
   */
  void refused(Effect effect) {
    running.remove(effect);
    if (!isAlive() || !engine.effects().contains(effect)) {
      return;
    }
    Optional<Finding> finding = engine.finding();
    engine.fail(new Stop(Stop.Code.FAILED, "refused for good"));
    schedule.note(() -> name + " is refused, now " + phase());
    finding.ifPresent(
        found -> {
          schedule.count("refused for good with a finding");
          checks.findingLivesOn(name, found, engine.finding(), stopped());
        });
  }

  void answered(Effect effect, Outcome outcome) {
    running.remove(effect);
    if (isAlive() && engine.effects().contains(effect)) {
      engine.complete(effect, outcome);
      stopped().ifPresent(stop -> schedule.count("ended: " + stop.code()));
      schedule.note(() -> name + " is told " + Texts.of(outcome) + ", now " + phase());
      afterMove();
    }
  }

  private String phase() {
    return engine.phase().getClass().getSimpleName()
        + stopped().map(stop -> " " + stop.codedMessage()).orElse("");
  }

  private void afterMove() {
    if (!engine.isIdle()) {
      return;
    }
    Writer writer = engine.writer().orElseThrow();
    if (!reading) {
      reading = true;
      writer.forcedCut().ifPresent(d -> schedule.count("forced cuts"));
      assembler.resume(writer);
      linkedTo = writer.position().orElse(Position.ORIGIN);
      seek(assembler.resumeOffset());
      checks.readsFrom(name, nextOffset);
      return; // the offset stored with W may be of a topic that is no more
    } else if (beginning.isPresent()) {
      beginning = Optional.empty();
      assembler.begun(writer, beginningOffset + 1);
      linkedTo = writer.position().orElseThrow();
      linked = true;
    } else if (committing) {
      committing = false;
      committingRows = Map.of();
      assembler.committed(writer.position().orElseThrow());
    }
    writer
        .watermarkState()
        .kafka()
        .ifPresent(kafka -> committedOffset = OptionalLong.of(kafka.offset()));
  }

  /** A consumer that finds no such offset begins at the beginning. */
  private void seek(long offset) {
    nextOffset = offset < topic.start() || offset > topic.end() ? topic.start() : offset;
    schedule.note(() -> name + " reads from offset " + nextOffset);
  }

  /** The consumer goes back, as it does when a commit of offsets failed. */
  void rewind(long offset) {
    if (reading && offset < nextOffset) {
      schedule.count("consumers set back");
      seek(offset);
    }
  }

  boolean canRead() {
    return reading
        && isAlive()
        && beginning.isEmpty()
        && engine.writer().isPresent()
        && engine.snapshot().pendingHalt().isEmpty();
  }

  /** Takes up to so many items. Returns whether it did anything. */
  boolean read(int items) {
    boolean any = false;
    for (int i = 0; i < items && canRead(); i++) {
      Optional<Map.Entry<Long, StreamItem>> next = topic.next(nextOffset);
      if (next.isEmpty() || !offer(next.get().getValue(), next.get().getKey())) {
        break;
      }
      any = true;
    }
    return any;
  }

  private boolean offer(StreamItem item, long offset) {
    Verdict verdict = assembler.offer(item, offset);
    schedule.note(() -> name + " offers " + offset + ": " + Texts.of(item) + ": " + verdict);
    if (verdict instanceof Verdict.Taken) {
      link(item);
      nextOffset = offset + 1;
      return true;
    }
    if (verdict instanceof Verdict.CompareWithLake compare) {
      schedule.count("replays compared with the lake");
      toCompare.add(new Replay(compare.row(), offset));
      nextOffset = offset + 1;
      return true;
    }
    return compareReplays() && takeSpecially(verdict, item, offset);
  }

  /** What was read is one piece with W up to here, told without the code under test. */
  private void link(StreamItem item) {
    if (item.provesAfter().isAtOrBelow(linkedTo) && item.provesTo().isAfter(linkedTo)) {
      linkedTo = item.provesTo();
      linked = true;
    }
  }

  private boolean takeSpecially(Verdict verdict, StreamItem item, long offset) {
    if (verdict instanceof Verdict.CutFirst) {
      return cut();
    }
    if (verdict instanceof Verdict.Begin begin) {
      nextOffset = offset + 1;
      beginning = Optional.of(begin.start());
      beginningOffset = offset;
      engine.start(begin.start(), new KafkaPosition(SimTopic.NAME, partition, offset + 1));
    } else if (verdict instanceof Verdict.SearchFirst) {
      schedule.count("searches");
      assembler.searching();
      seek(topic.start());
      checks.searches(name);
    } else if (verdict instanceof Verdict.Halt halt) {
      if (halt.finding().reason() == HaltReason.GAP) {
        checks.gap(name, item.provesAfter().isAfter(linkedTo), linked);
      }
      engine.halt(halt.finding());
    } else if (verdict instanceof Verdict.Refuse refuse) {
      engine.stop(refuse.stop());
    }
    return true;
  }

  /** Compares the gathered replays (C13). Returns whether all agree. */
  boolean compareReplays() {
    for (Replay replay : toCompare) {
      if (!agrees(replay.row())) {
        toCompare.clear();
        engine.halt(new Finding(HaltReason.ROW_DIFFERS, "the row at " + replay.row().position()));
        return false;
      }
      assembler.compared(replay.offset());
    }
    toCompare.clear();
    return true;
  }

  private boolean agrees(CanonicalRow row) {
    Position position = row.position();
    Position before =
        position.arrayIndex() == 0
            ? Position.batchEnd(position.globalBatchSeq() - 1)
            : new Position(position.globalBatchSeq(), position.arrayIndex() - 1);
    String table = identity.tables().get(identity.layout().route(row, reader.wrap(row))).name();
    return lake.read(table, new Range(before, position), 10).equals(List.of(row));
  }

  /** The commit interval passes. */
  void wantCut() {
    if (canRead() && assembler.hasContent()) {
      assembler.wantCut();
    }
  }

  /** Cuts if it is time to. Returns whether it did. */
  boolean cutIfDue() {
    return canRead() && assembler.cutDue() && engine.isIdle() && compareReplays() && cut();
  }

  private boolean cut() {
    if (!engine.isIdle() || !canRead()) {
      return false;
    }
    CutRange cut = assembler.cut();
    SealedRange range = cut.range();
    schedule.note(() -> name + " cuts " + range.to() + " with rows in " + range.tables().keySet());
    committing = true;
    committingRows = cut.rows();
    engine.commit(range);
    return true;
  }
}
