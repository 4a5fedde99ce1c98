package dev.tula.connect.sink;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;

/** What waits for its next try, each after failures of its own in a row. For one thread. */
final class Retries {
  private final Backoff backoff;
  private final ElapsedTime time;
  private final Map<Object, Trial> trials = new HashMap<>();

  private record Trial(int failures, long firstMs, long nextMs) {}

  Retries(Backoff backoff, ElapsedTime time) {
    this.backoff = backoff;
    this.time = time;
  }

  boolean isDue(Object what) {
    return untilDueMs(what) == 0;
  }

  /** How long until it may be tried; 0 if it may be. */
  long untilDueMs(Object what) {
    Trial trial = trials.get(what);
    return trial == null ? 0 : Math.max(0, trial.nextMs() - time.ms());
  }

  void succeeded(Object what) {
    trials.remove(what);
  }

  /** Waits without an end for what is no failure; an earlier one is forgotten. */
  void standBy(Object what, long askAgainMs) {
    long now = time.ms();
    trials.put(what, new Trial(0, now, now + askAgainMs));
  }

  /** Notes a failure. Returns whether it may be tried again. */
  boolean failed(Object what) {
    long now = time.ms();
    Trial before = trials.getOrDefault(what, new Trial(0, now, now));
    int failures = before.failures() + 1;
    trials.put(what, new Trial(failures, before.firstMs(), now + backoff.waitMs(failures)));
    return now - before.firstMs() < backoff.timeoutMs();
  }

  /** How long ago the first of its failures in a row was; 0 if there was none. */
  long failingForMs(Object what) {
    Trial trial = trials.get(what);
    return trial == null ? 0 : time.ms() - trial.firstMs();
  }

  /** Forgets all of that kind. */
  void forget(Predicate<Object> which) {
    trials.keySet().removeIf(which);
  }

  /** How long until the next one that waits is due; a long time if none waits. */
  long nextMs() {
    long now = time.ms();
    return trials.values().stream()
        .mapToLong(trial -> trial.nextMs() - now)
        .filter(left -> left > 0)
        .min()
        .orElse(Long.MAX_VALUE);
  }
}
