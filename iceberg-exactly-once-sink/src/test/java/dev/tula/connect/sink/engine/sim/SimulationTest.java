package dev.tula.connect.sink.engine.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Many seeds of the {@link Simulation}. {@code -Dtula.sim.seeds=} says how many, {@code
 * -Dtula.sim.from=} where they begin. A seed that fails is run again with its trace, of which the
 * last {@code -Dtula.sim.trace=} lines are shown.
 */
class SimulationTest {
  private static final long SEEDS = Long.getLong("tula.sim.seeds", 4000);
  private static final long FROM = Long.getLong("tula.sim.from", 1);
  private static final long ENOUGH_FOR_ALL = 2000;
  private static final String[] EXPECTED = {
    "cleanup of orphans: done",
    "cleanup: done",
    "clocks set back",
    "compact: done",
    "compact: ended: a writer claimed the table",
    "compact: ended: somebody else rewrote its files",
    "consumers set back",
    "crashes",
    "ended: FAILED",
    "ended: FENCED",
    "ended: HALTED",
    "ended: HALTED_BEFORE",
    "event topics compacted",
    "fails before it does anything",
    "false conflicts that were seen through",
    "files deleted",
    "forced cuts",
    "foreign compactions",
    "foreign expiries",
    "found by verify",
    "is more than a minute older than the table's last commit",
    "is refused for good",
    "items written twice",
    "lakes verified",
    "late and refused, or no commit",
    "late landings",
    "late landings of maintenance",
    "our own commits beside the writers",
    "pauses",
    "pin: done",
    "refused for good with a finding",
    "refused, though it landed and was built upon",
    "repair: done",
    "repaired beside the writers",
    "repaired while halted",
    "replays compared with the lake",
    "rewinds accepted",
    "searches",
    "snapshots expired",
    "source restarts",
    "starts beside a living writer",
    "stretches sent again",
    "topics re-created",
    "topics that retention cut off",
    "two sessions of the source",
    "unknown: is late",
    "unknown: is never sent",
    "unknown: was carried out, and its reply is lost",
    "verify: done",
    "wakes",
    "was carried out, and seems to have failed"
  };
  private static final int TRACE_LINES = Integer.getInteger("tula.sim.trace", 400);

  @Test
  void every_seed_keeps_the_invariants_and_comes_to_the_truth() {
    Map<String, Long> counts = new TreeMap<>();
    long begun = System.nanoTime();
    for (long seed = FROM; seed < FROM + SEEDS; seed++) {
      SeedRun run = SeedRun.of(seed, TRACE_LINES);
      assertThat(run.failure()).as(run::report).isEmpty();
      run.counts().forEach((what, count) -> counts.merge(what, count, Long::sum));
    }
    double seconds = (System.nanoTime() - begun) / 1e9;
    System.out.printf(
        "%d seeds in %.1f s, %.0f a second: %s%n", SEEDS, seconds, SEEDS / seconds, counts);
    if (SEEDS >= ENOUGH_FOR_ALL) {
      assertThat(counts).as("what the seeds must have seen").containsKeys(EXPECTED);
      for (Corruption.Kind kind : Corruption.Kind.values()) {
        boolean oftenUnseen = kind == Corruption.Kind.LAKE_ROW_ALTERED; // but by verify
        assertThat(counts).containsKey((oftenUnseen ? "damage: " : "halted by ") + kind);
      }
    }
  }

  @Test
  void a_seed_is_a_run() {
    Schedule first = new Schedule(7, true);
    Schedule second = new Schedule(7, true);
    new Simulation(first).run();
    new Simulation(second).run();
    assertThat(second.trace()).isNotEmpty().isEqualTo(first.trace());
  }
}
