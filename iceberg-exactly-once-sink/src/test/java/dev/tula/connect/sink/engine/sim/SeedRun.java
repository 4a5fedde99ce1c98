package dev.tula.connect.sink.engine.sim;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How the {@link Simulation} of one seed ended. One that fails is run a second time, with its
 * trace.
 *
 * @param seed the seed
 * @param counts what it saw
 * @param failure what was broken; absent if nothing was
 * @param trace the last lines of a failed run's trace
 */
public record SeedRun(
    long seed, Map<String, Long> counts, Optional<Found> failure, List<String> trace) {

  /** Runs a seed, and keeps so many lines of the trace if it fails. */
  public static SeedRun of(long seed, int traceLines) {
    Schedule schedule = new Schedule(seed, false);
    Optional<Found> failure = failureOf(schedule);
    return new SeedRun(
        seed,
        schedule.counts(),
        failure,
        failure.isPresent() ? trace(seed, traceLines) : List.of());
  }

  private static Optional<Found> failureOf(Schedule schedule) {
    try {
      new Simulation(schedule).run();
      return Optional.empty();
    } catch (AssertionError | RuntimeException e) {
      return Optional.of(Found.of(e));
    }
  }

  private static List<String> trace(long seed, int lines) {
    Schedule schedule = new Schedule(seed, true);
    if (failureOf(schedule).isEmpty()) {
      return List.of("it does not fail a second time: the simulation is not deterministic");
    }
    List<String> trace = schedule.trace();
    return trace.subList(Math.max(0, trace.size() - lines), trace.size());
  }

  /** The seed, what was broken and the trace, for people. */
  public String report() {
    return "seed "
        + seed
        + ": "
        + failure.map(Found::text).orElse("nothing was broken")
        + "\n"
        + String.join("\n", trace);
  }
}
