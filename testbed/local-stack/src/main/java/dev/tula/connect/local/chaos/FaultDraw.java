package dev.tula.connect.local.chaos;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/**
 * Draws faults from a seed: every fault comes before any comes a second time, in an order that
 * differs from round to round. For one thread.
 */
final class FaultDraw {
  private static final long MIN_PAUSE_MS = 1_500;
  private static final long MAX_PAUSE_MS = 7_000;

  private final List<Fault> faults;
  private final Random random;
  private final Deque<Fault> round = new ArrayDeque<>();

  FaultDraw(List<Fault> faults, long seed) {
    this.faults = List.copyOf(faults);
    this.random = new Random(seed);
  }

  /** The next fault that touches none of these parts; the others keep their place. */
  Optional<Fault> next(Set<Fault.Part> busy) {
    if (round.isEmpty()) {
      List<Fault> shuffled = new ArrayList<>(faults);
      Collections.shuffle(shuffled, random);
      round.addAll(shuffled);
    }
    Optional<Fault> next =
        round.stream().filter(fault -> Collections.disjoint(fault.parts(), busy)).findFirst();
    next.ifPresent(round::remove);
    return next;
  }

  /** How long a fault lasts this time. */
  long durationMs(Fault fault) {
    return between(fault.minMs(), fault.maxMs());
  }

  /** How long until the next fault. */
  long pauseMs() {
    return between(MIN_PAUSE_MS, MAX_PAUSE_MS);
  }

  private long between(long min, long max) {
    return min + (long) (random.nextDouble() * (max - min + 1));
  }
}
