package dev.tula.connect.sink.engine.sim;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.event.ClearEvent;
import dev.tula.connect.sink.engine.CommitKind;
import dev.tula.connect.sink.engine.EventsView;
import dev.tula.connect.sink.engine.HaltReason;
import dev.tula.connect.sink.engine.Stop;
import dev.tula.connect.sink.engine.TableNames;
import dev.tula.connect.sink.engine.TableView;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What follows when the faults end: one writer after another, alone, until the lake is complete.
 * Real damage must halt it first, and keep it halted until the damage is undone and the halt is
 * cleared (I6, C25, C26).
 */
final class Aftermath {
  private static final int MAX_TURNS = 200_000;
  private static final int MAX_RESTARTS = 6;
  private static final int MAX_IDLE_TIMES = 3;

  /** Damage of which opening alone tells, so that no row may be written before the halt. */
  private static final Set<Corruption.Kind> SEEN_ON_OPENING =
      EnumSet.complementOf(
          EnumSet.of(
              Corruption.Kind.ITEM_REMOVED,
              Corruption.Kind.LAKE_ROW_ALTERED,
              Corruption.Kind.ROW_ALTERED,
              Corruption.Kind.ROW_ABOVE_W_ALTERED));

  private final Simulation simulation;
  private final Schedule schedule;
  private final SimLake lake;

  Aftermath(Simulation simulation) {
    this.simulation = simulation;
    this.schedule = simulation.schedule();
    this.lake = simulation.lake();
  }

  void run() {
    if (simulation.isRepaired()) {
      afterRepair();
    } else if (simulation.damage().isPresent()) {
      afterDamage(simulation.damage().get());
    } else {
      withoutDamage();
      simulation.keeper().verifyAll();
    }
  }

  /** Somebody may have found the damage before it was repaired. */
  private void afterRepair() {
    schedule.count("repaired beside the writers");
    clearHalts(Optional.empty());
    completes();
    simulation.keeper().verifyAll();
  }

  private void withoutDamage() {
    if (!completes()) {
      simulation.checks().noHalts();
    }
  }

  /**
   * Runs writers until the lake is complete. An offset of the old topic may by chance lead into the
   * middle of a replay in the new one, where two sessions of the source overlap. That is a halt
   * with an easy cure, and no harm.
   *
   * @return whether that had to be cured
   */
  private boolean completes() {
    Optional<Stop> stop = runToTheEnd();
    boolean gap = stop.isPresent() && isGapOfAnotherTopic(stop.get());
    if (gap) {
      schedule.count("gaps behind an offset of a topic that is no more");
      sendAgain();
      clearHalts(Optional.empty());
      stop = runToTheEnd();
    }
    expectNone(stop);
    return gap;
  }

  private boolean isGapOfAnotherTopic(Stop stop) {
    return simulation.checks().gapsAreByChance() && stop.message().contains(HaltReason.GAP.cure());
  }

  private static void expectNone(Optional<Stop> stop) {
    if (stop.isPresent()) {
      throw new AssertionError(
          Found.forNothing(stop.get().code())
              + ": alone and without faults it stopped: "
              + stop.get());
    }
  }

  /** Runs writers until the lake is complete, or one stops for more than lost replies. */
  private Optional<Stop> runToTheEnd() {
    for (int i = 0; i < MAX_RESTARTS; i++) {
      Optional<Stop> stop = runOne();
      if (stop.isEmpty() || stop.get().code() != Stop.Code.FAILED) {
        return stop;
      }
    }
    throw new AssertionError("stuck: it keeps failing");
  }

  /** Runs a new writer until the lake is complete or it stops. */
  private Optional<Stop> runOne() {
    SimWriter writer = simulation.startWriter();
    int idleTimes = 0;
    for (int i = 0; i < MAX_TURNS && writer.stopped().isEmpty(); i++) {
      if (simulation.quietTurn(writer)) {
        continue;
      }
      writer.checkCommittedOffset();
      if (simulation.watermark().equals(Optional.of(simulation.ledger().end()))) {
        return Optional.empty();
      }
      if (idleTimes++ == MAX_IDLE_TIMES) {
        throw new AssertionError(
            "stuck: at W = " + simulation.watermark() + " in " + writer.engine().phase());
      }
      simulation.source().idle();
    }
    if (writer.stopped().isEmpty()) {
      throw new AssertionError("stuck: it never ends");
    }
    schedule.count("stopped: " + writer.stopped().get().code());
    expectNothingWrittenBeforeHalt(writer);
    return writer.stopped();
  }

  private void expectNothingWrittenBeforeHalt(SimWriter writer) {
    boolean seen =
        simulation.damage().map(Corruption::kind).filter(SEEN_ON_OPENING::contains).isPresent();
    if (seen && simulation.checks().appends(writer.name()) > 0) {
      throw new AssertionError("I6: rows were written before the halt " + writer.stopped());
    }
  }

  private void afterDamage(Corruption damage) {
    Optional<Stop> stop = runToTheEnd();
    schedule.count((stop.isPresent() ? "halted by " : "not halted by ") + damage.kind());
    if (stop.isPresent()) {
      expectHalt(stop.get());
      expectStillHalted();
      cure(damage);
      completes();
    } else if (damage.mustHalt()) {
      throw new AssertionError("I6: " + damage.kind() + " was not found");
    }
    if (damage.kind() == Corruption.Kind.LAKE_ROW_ALTERED && !simulation.isRepaired()) {
      findByVerifying(damage);
    }
    simulation.checks().harmless(); // what did not halt it must not have done harm either
  }

  /** What no witness tells, the recomputed digests do; then a repair brings it back. */
  private void findByVerifying(Corruption damage) {
    String table = damage.table().orElseThrow();
    if (simulation.keeper().digestsAgree(table)) {
      throw new AssertionError("verify: it finds nothing in " + table + ": " + damage.kind());
    }
    schedule.count("found by verify");
    repair(damage);
    simulation.keeper().verifyAll();
  }

  private void repair(Corruption damage) {
    simulation.keeper().repair(damage.table().orElseThrow());
    if (!simulation.isRepaired()) {
      throw new AssertionError("repair: in peace and quiet it did not succeed");
    }
  }

  private void expectHalt(Stop stop) {
    if (stop.code() != Stop.Code.HALTED && stop.code() != Stop.Code.HALTED_BEFORE) {
      throw new AssertionError("I6: not a halt: " + stop);
    }
    if (haltsInForce().isEmpty()) {
      throw new AssertionError("C25: the halt is not recorded: " + stop);
    }
  }

  private void expectStillHalted() {
    Set<String> before = haltsInForce();
    SimLake.Contents contents = lake.contents();
    Stop stop = runOne().orElseThrow(() -> new AssertionError("C26: a restart went past the halt"));
    if (stop.code() != Stop.Code.HALTED_BEFORE) {
      throw new AssertionError("C26: a restart does not find the halt: " + stop);
    }
    if (!haltsInForce().equals(before) || !lake.contents().equals(contents)) {
      throw new AssertionError("C26: a halted restart wrote something");
    }
  }

  private Set<String> haltsInForce() {
    EventsView events = simulation.log().read();
    Map<String, String> halts = new TreeMap<>(events.halts());
    Optional<SimTable> watermark = lake.table(TableNames.WATERMARK);
    watermark.ifPresent(table -> halts.putAll(table.halts()));
    halts.keySet().removeAll(events.clearedHalts());
    watermark.ifPresent(table -> halts.keySet().removeAll(table.clearedHalts()));
    return new TreeSet<>(halts.keySet());
  }

  private void cure(Corruption damage) {
    schedule.note(() -> "cure of " + damage.kind());
    boolean otherwise = schedule.chance(0.5);
    if (otherwise && damage.kind() == Corruption.Kind.LAKE_SET_BACK) {
      schedule.count("rewinds accepted");
      simulation.checks().cured();
      clearHalts(simulation.watermark());
    } else if (otherwise && damage.kind() == Corruption.Kind.ITEM_REMOVED) {
      schedule.count("stretches sent again");
      sendAgain();
      clearHalts(Optional.empty());
    } else if (damage.isRepairable()
        && (otherwise || damage.kind() == Corruption.Kind.LAKE_ROW_ALTERED)) {
      schedule.count("repaired while halted");
      repair(damage);
      clearHalts(Optional.empty());
    } else {
      damage.cure().run();
      simulation.checks().cured();
      clearHalts(Optional.empty());
    }
  }

  /** The topic is emptied, and the source begins behind W. */
  private void sendAgain() {
    simulation.topic().truncate(simulation.topic().end());
    simulation.source().reset(simulation.watermark());
    simulation.source().finish();
  }

  /** In either place a clear counts (C25); a rewind is accepted in the topic. */
  private void clearHalts(Optional<Position> acceptedRewind) {
    for (String id : haltsInForce()) {
      Optional<SimTable> watermark =
          lake.table(TableNames.WATERMARK).filter(table -> table.property().isPresent());
      if (acceptedRewind.isPresent() || watermark.isEmpty() || schedule.chance(0.5)) {
        simulation
            .log()
            .publish(
                List.of(
                    new ClearEvent(
                        simulation.eventIdentity(),
                        id,
                        acceptedRewind,
                        "somebody",
                        Instant.EPOCH)));
      } else {
        simulation.commitBeside(
            TableNames.WATERMARK,
            watermark.get(),
            CommitKind.CLEAR,
            Map.of(TableView.CLEAR_PROPERTY + id, "somebody"));
      }
    }
  }
}
