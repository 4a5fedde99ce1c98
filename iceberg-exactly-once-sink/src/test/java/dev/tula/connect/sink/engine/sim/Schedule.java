package dev.tula.connect.sink.engine.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Every choice of a run, drawn from its seed, so that a seed is a run. Also keeps the run's trace,
 * if one is wanted, and counts what happened.
 */
public final class Schedule {
  private static final long STEP_MS = 3_000;

  private final long seed;
  private final boolean traced;
  private final RandomGenerator random;
  private final List<String> trace = new ArrayList<>();
  private final Map<String, Long> counts = new TreeMap<>();
  private long step;

  /** The choices of a seed. */
  public Schedule(long seed, boolean traced) {
    this.seed = seed;
    this.traced = traced;
    this.random = new SplittableRandom(mixed(seed));
  }

  /**
   * Far apart for seeds that are neighbours: one's choices must not be another's, moved on by one.
   */
  private static long mixed(long seed) {
    long mixed = (seed ^ seed >>> 30) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
    return mixed ^ mixed >>> 31;
  }

  long seed() {
    return seed;
  }

  boolean chance(double probability) {
    return random.nextDouble() < probability;
  }

  /** From 0 up to and without {@code bound}. */
  int below(int bound) {
    return random.nextInt(bound);
  }

  /** From {@code low} up to and with {@code high}. */
  int between(int low, int high) {
    return low + random.nextInt(high - low + 1);
  }

  long number() {
    return random.nextLong();
  }

  <T> T pick(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  void nextStep() {
    step++;
  }

  long step() {
    return step;
  }

  /** The time, which every step moves on; clocks of writers may show another one. */
  long nowMs() {
    return step * STEP_MS;
  }

  /** Adds a line to the trace, which is made only if it is wanted. */
  void note(Supplier<String> line) {
    if (traced) {
      trace.add(step + "  " + line.get());
    }
  }

  /** Counts that something happened, so that a test can tell that it does happen. */
  void count(String what) {
    counts.merge(what, 1L, Long::sum);
  }

  /** What was counted. */
  public Map<String, Long> counts() {
    return counts;
  }

  /** The trace so far. */
  public List<String> trace() {
    return trace;
  }
}
