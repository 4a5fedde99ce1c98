package dev.tula.connect.sink.engine.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/** {@code bin/simulate}: any number of seeds on every core, or each case of the explorer. */
public final class Simulate {
  private static final String USAGE =
      """
      Usage: bin/simulate [--seeds N] [--from S] [--trace LINES]
             bin/simulate --explore

      Runs the simulation of the commit protocol over N seeds (10000) from S (1) on. A seed that fails
      is named, with the last LINES (400) of its trace, and fails again in the same way with
      --from SEED --seeds 1. With --explore, visits every state of each of the explorer's cases.
      """;
  private static final long PROGRESS_NS = 5_000_000_000L;
  private static final int USAGE_ERROR = 64;

  private final long end;
  private final int traceLines;
  private final AtomicLong next;
  private final long begunNs = System.nanoTime();
  private final Map<String, Long> counts = new TreeMap<>();
  private Optional<SeedRun> failed = Optional.empty();
  private long done;
  private long toldNs = begunNs;

  private Simulate(long from, long seeds, int traceLines) {
    this.next = new AtomicLong(from);
    this.end = from + seeds;
    this.traceLines = traceLines;
  }

  /** Ends the process with 0, 1 for a failure, or 64 for arguments that it does not know. */
  public static void main(String[] args) throws InterruptedException {
    System.exit(run(List.of(args)));
  }

  private static int run(List<String> args) throws InterruptedException {
    if (args.equals(List.of("--explore"))) {
      return explore();
    }
    Map<String, Long> options = new TreeMap<>(Map.of("--seeds", 10_000L, "--from", 1L));
    options.put("--trace", 400L);
    for (int i = 0; i < args.size(); i += 2) {
      boolean known = options.containsKey(args.get(i)) && i + 1 < args.size();
      if (!known || !args.get(i + 1).matches("[1-9][0-9]{0,8}")) {
        boolean asked = args.get(i).equals("--help");
        (asked ? System.out : System.err).print(USAGE);
        return asked ? 0 : USAGE_ERROR;
      }
      options.put(args.get(i), Long.valueOf(args.get(i + 1)));
    }
    return new Simulate(
            options.get("--from"), options.get("--seeds"), options.get("--trace").intValue())
        .simulate();
  }

  private static int explore() {
    for (ExplorerCase explored : ExplorerCase.values()) {
      long begunNs = System.nanoTime();
      try {
        System.out.println(explored.explore() + String.format(", in %.1f s", seconds(begunNs)));
      } catch (AssertionError e) {
        System.out.println(explored.word() + ": " + e.getMessage());
        return 1;
      }
    }
    return 0;
  }

  private static double seconds(long sinceNs) {
    return (System.nanoTime() - sinceNs) / 1e9;
  }

  private int simulate() throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
      threads.add(new Thread(this::runSeeds, "seeds-" + i));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    failed.ifPresent(run -> System.out.println(run.report()));
    System.out.println(progress());
    counts.forEach((what, count) -> System.out.printf(Locale.ROOT, "%,12d  %s%n", count, what));
    failed.ifPresent(
        run ->
            System.out.printf(
                "Seed %d failed. Again: bin/simulate --from %d --seeds 1%n",
                run.seed(), run.seed()));
    return failed.isPresent() ? 1 : 0;
  }

  private void runSeeds() {
    long seed = next.getAndIncrement();
    while (seed < end) {
      take(SeedRun.of(seed, traceLines));
      seed = next.getAndIncrement();
    }
  }

  private synchronized void take(SeedRun run) {
    done++;
    run.counts().forEach((what, count) -> counts.merge(what, count, Long::sum));
    if (run.failure().isPresent()) {
      next.set(end); // those that are under way are still waited for: the lowest seed is told
      failed = failed.filter(other -> other.seed() < run.seed()).or(() -> Optional.of(run));
    }
    if (System.nanoTime() - toldNs > PROGRESS_NS) {
      toldNs = System.nanoTime();
      System.err.println(progress());
    }
  }

  private String progress() {
    double seconds = seconds(begunNs);
    return String.format(
        Locale.ROOT, "%,d seeds in %.1f s, %.0f a second", done, seconds, done / seconds);
  }
}
