package dev.tula.connect.sink.mutants;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** {@code bin/mutants}: lets simulation, explorer and tests loose on every mutant. */
public final class Mutants {
  static final Path DESCRIPTIONS = Path.of("src/test/resources/mutants");
  static final Path ROOT = Path.of("..");

  private static final String USAGE =
      """
      Usage: bin/mutants [--only RULE|MUTANT] [--seeds N]

      Breaks the rules of the commit protocol, one mutant at a time, and has the simulation (up to N
      seeds, 10000), the explorer or a named test catch each, by what is expected of it. Says what was
      found. Ends with 1 if one survives, or is caught by something else.
      """;
  private static final String ROW = "%-4s  %-42s  %-84s  %-10s  %5.1f s  %s%n      found: %s%n";
  private static final int MAX_FOUND_CHARS = 160;
  private static final int USAGE_ERROR = 64;
  private static final long LIMIT_S = 600;

  private final Hunt hunt;
  private final List<String> survivors = new ArrayList<>();

  private Mutants(long seeds) {
    this.hunt = new Hunt(ROOT, seeds);
  }

  /** Ends the process with 0, 1 for a survivor, or 64 for arguments that it does not know. */
  public static void main(String[] args) throws InterruptedException {
    Map<String, String> options = new TreeMap<>(Map.of("--only", "", "--seeds", "10000"));
    for (int i = 0; i < args.length; i += 2) {
      boolean known = options.containsKey(args[i]) && i + 1 < args.length;
      if (!known || args[i].equals("--seeds") && !args[i + 1].matches("[1-9][0-9]{0,8}")) {
        boolean asked = args[i].equals("--help");
        (asked ? System.out : System.err).print(USAGE);
        System.exit(asked ? 0 : USAGE_ERROR);
      }
      options.put(args[i], args[i + 1]);
    }
    String only = options.get("--only");
    List<Mutant> mutants =
        Mutant.in(DESCRIPTIONS).stream()
            .filter(mutant -> List.of("", mutant.rule(), mutant.name()).contains(only))
            .toList();
    if (mutants.isEmpty()) {
      System.err.println("no mutant of " + only);
      System.exit(USAGE_ERROR);
    }
    System.exit(new Mutants(Long.parseLong(options.get("--seeds"))).run(mutants));
  }

  private int run(List<Mutant> mutants) throws InterruptedException {
    for (Mutant mutant : mutants) {
      for (Mutant.Catcher catcher : mutant.catchers()) {
        report(mutant, catcher);
      }
    }
    System.out.println(
        mutants.size() + " mutants, " + (survivors.isEmpty() ? "all caught" : "not caught:"));
    survivors.forEach(System.out::println);
    return survivors.isEmpty() ? 0 : 1;
  }

  private void report(Mutant mutant, Mutant.Catcher catcher) throws InterruptedException {
    long begunNs = System.nanoTime();
    Hunt.Result result = withinLimit(mutant, catcher);
    System.out.printf(
        Locale.ROOT,
        ROW,
        mutant.rule(),
        mutant.name(),
        mutant.breaks(),
        result.caught() ? "caught" : "NOT CAUGHT",
        (System.nanoTime() - begunNs) / 1e9,
        result.by(),
        shortly(result.how()));
    if (!result.caught()) {
      survivors.add(mutant + ": " + result.by() + ": " + result.how());
    }
  }

  private static String shortly(String text) {
    String line = text.replaceAll("\\s+", " ");
    return line.length() <= MAX_FOUND_CHARS ? line : line.substring(0, MAX_FOUND_CHARS) + " …";
  }

  private Hunt.Result withinLimit(Mutant mutant, Mutant.Catcher catcher)
      throws InterruptedException {
    ExecutorService thread =
        Executors.newSingleThreadExecutor(
            work -> {
              Thread daemon = new Thread(work, "hunt");
              daemon.setDaemon(true);
              return daemon;
            });
    try {
      return thread.submit(() -> hunt.run(mutant, catcher)).get(LIMIT_S, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      return new Hunt.Result(false, catcher.what(), "it could not be run: " + e.getCause());
    } catch (TimeoutException e) {
      return new Hunt.Result(false, catcher.what(), "it did not end in " + LIMIT_S + " s");
    } finally {
      thread.shutdownNow();
    }
  }
}
