package dev.tula.connect.sink.mutants;

import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Lets what must catch a mutant loose on it. Only what finds nothing wrong with the classes as they
 * are can catch anything; of the explorer, ExplorerTest shows that in every build. And only what
 * finds what is expected of that mutant has caught it: anything else is a mutant that breaks
 * something else, or a check that found it by chance.
 */
final class Hunt {
  private final Path root;
  private final long seeds;
  private final Map<List<Path>, Runner> unchanged = new HashMap<>();
  private final Map<String, Optional<Broken>> withoutMutant = new HashMap<>();

  /**
   * @param root the repository
   * @param seeds so many are simulated at most
   */
  Hunt(Path root, long seeds) {
    this.root = root;
    this.seeds = seeds;
  }

  /**
   * How a mutant was caught by one of its catchers.
   *
   * @param caught whether it was, by what is expected of it
   * @param by what caught it, or what did not
   * @param how what was found to be broken
   */
  record Result(boolean caught, String by, String how) {}

  /** What was found: the names of the invariants or rules, and the text. */
  private record Broken(Set<String> kinds, String text) {}

  /** What runs among a mutant's classes. */
  private interface Runner extends Function<String, Optional<Broken>> {}

  /** Lets one catcher loose on a mutant. */
  Result run(Mutant mutant, Mutant.Catcher catcher) {
    Runner mutated = inside(MutatedClasses.of(mutant.folders(root), classes(mutant.sources(root))));
    return catcher.isSimulation()
        ? simulate(mutant, catcher, mutated)
        : once(mutant, catcher, mutated);
  }

  private static Map<String, String> classes(Map<Path, String> sources) {
    Map<String, String> classes = new HashMap<>();
    sources.forEach((file, source) -> classes.put(className(file), source));
    return classes;
  }

  /** {@code …/src/main/java/a/B.java} holds the class {@code a.B}. */
  private static String className(Path file) {
    String path = file.toString().replace('\\', '/');
    String inside = path.substring(path.indexOf("src/main/java/") + "src/main/java/".length());
    return inside.substring(0, inside.length() - ".java".length()).replace('/', '.');
  }

  private Result simulate(Mutant mutant, Mutant.Catcher catcher, Runner mutated) {
    for (long seed = 1; seed <= seeds; seed++) {
      String what = "seed " + seed;
      Optional<Broken> broken = mutated.apply(what);
      if (broken.isPresent()) {
        return judged(mutant, catcher, what, catcher.what() + ", " + what, broken.get());
      }
    }
    return new Result(false, catcher.what(), seeds + " seeds found nothing");
  }

  private Result once(Mutant mutant, Mutant.Catcher catcher, Runner mutated) {
    Optional<Broken> broken = mutated.apply(catcher.what());
    return broken.isEmpty()
        ? new Result(false, catcher.what(), "it found nothing")
        : judged(mutant, catcher, catcher.what(), catcher.what(), broken.get());
  }

  private Result judged(
      Mutant mutant, Mutant.Catcher catcher, String what, String by, Broken broken) {
    String how = String.join(", ", new TreeSet<>(broken.kinds())) + " | " + broken.text();
    if (Collections.disjoint(broken.kinds(), catcher.expected())) {
      return new Result(false, by, "not one of " + catcher.expected() + " was found, but " + how);
    }
    Optional<Broken> alsoWithout =
        catcher.isExplorer() ? Optional.empty() : withoutMutant(mutant, what);
    return alsoWithout
        .map(other -> new Result(false, by, "it fails without the mutant too: " + other.text()))
        .orElseGet(() -> new Result(true, by, how));
  }

  private Optional<Broken> withoutMutant(Mutant mutant, String what) {
    return withoutMutant.computeIfAbsent(
        what,
        unused ->
            unchanged
                .computeIfAbsent(
                    mutant.folders(root), folders -> inside(MutatedClasses.unchanged(folders)))
                .apply(what));
  }

  @SuppressWarnings("unchecked") // what is loaded there implements this
  private static Runner inside(MutatedClasses classes) {
    try {
      Function<String, Optional<Map.Entry<Set<String>, String>>> inside =
          (Function<String, Optional<Map.Entry<Set<String>, String>>>)
              classes.loadClass(Inside.class.getName()).getConstructor().newInstance();
      return what -> {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(classes);
        try {
          return inside.apply(what).map(found -> new Broken(found.getKey(), found.getValue()));
        } finally {
          thread.setContextClassLoader(before);
        }
      };
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
