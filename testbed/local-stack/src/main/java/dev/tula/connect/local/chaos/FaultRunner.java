package dev.tula.connect.local.chaos;

import dev.tula.connect.local.StackException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Carries faults out, each on a thread of its own, and heals every one, also when the run ends in
 * the middle of it. Safe for any thread.
 */
final class FaultRunner implements AutoCloseable {
  private static final Duration HEAL_LIMIT = Duration.ofMinutes(3);

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Set<Fault.Part> busy = EnumSet.noneOf(Fault.Part.class);
  private final Map<String, Tally> tallies = new TreeMap<>();
  private Optional<Exception> failure = Optional.empty();
  private boolean ending;

  /**
   * What became of one kind of fault.
   *
   * @param count how often it came
   * @param ms how long it lasted in all
   */
  record Tally(int count, long ms) {
    private Tally plus(long more) {
      return new Tally(count + 1, ms + more);
    }
  }

  /** The parts that a fault is in now. */
  synchronized Set<Fault.Part> busy() {
    return Set.copyOf(busy);
  }

  /** Starts one. */
  synchronized void start(Fault fault, long durationMs) {
    busy.addAll(fault.parts());
    threads.execute(() -> run(fault, durationMs));
  }

  private void run(Fault fault, long durationMs) {
    long began = System.nanoTime();
    try {
      fault.inject();
      await(durationMs);
    } catch (Exception e) {
      failed(fault, e);
    }
    try {
      fault.heal();
    } catch (Exception e) {
      failed(fault, e);
    }
    over(fault, (System.nanoTime() - began) / 1_000_000);
  }

  private synchronized void await(long durationMs) throws InterruptedException {
    long end = System.nanoTime() + durationMs * 1_000_000;
    for (long left = durationMs; !ending && left > 0; ) {
      wait(left);
      left = (end - System.nanoTime()) / 1_000_000;
    }
  }

  private synchronized void failed(Fault fault, Exception e) {
    if (failure.isEmpty()) {
      failure =
          Optional.of(new StackException("the fault \"" + fault.name() + "\" failed: " + e, e));
    }
  }

  private synchronized void over(Fault fault, long ms) {
    tallies.put(fault.name(), tallies.getOrDefault(fault.name(), new Tally(0, 0)).plus(ms));
    busy.removeAll(fault.parts());
    notifyAll();
  }

  /** What made a fault fail in itself, which is the stack's fault and not the pipeline's. */
  synchronized Optional<Exception> failure() {
    return failure;
  }

  /** Faults that came, by name. */
  synchronized Map<String, Tally> tallies() {
    return new TreeMap<>(tallies);
  }

  /** Ends all faults, and waits until they are healed. */
  synchronized void healAll() {
    ending = true;
    notifyAll();
    long end = System.nanoTime() + HEAL_LIMIT.toNanos();
    try {
      while (!busy.isEmpty()) {
        long leftMs = (end - System.nanoTime()) / 1_000_000;
        if (leftMs <= 0) {
          throw new StackException("faults in " + busy + " were not healed in time");
        }
        wait(leftMs);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StackException("interrupted while faults were healed", e);
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
    try {
      if (!threads.awaitTermination(5, TimeUnit.SECONDS)) {
        System.err.println("a fault's thread did not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
