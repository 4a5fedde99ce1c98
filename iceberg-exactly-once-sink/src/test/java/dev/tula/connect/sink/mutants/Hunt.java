package dev.tula.connect.sink.mutants;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Lets what must catch a mutant loose on it. Only what finds nothing wrong with the classes as they
 * are can catch anything; of the explorer, ExplorerTest shows that in every build.
 */
final class Hunt {
  private static final String SIMULATION = "simulation";

  private final Path root;
  private final long seeds;
  private final Function<String, Optional<String>> unchanged = inside(MutatedClasses.unchanged());
  private final Map<String, Optional<String>> withoutMutant = new HashMap<>();

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
   * @param caught whether it was
   * @param by what caught it, or what did not
   * @param how what was found to be broken
   */
  record Result(boolean caught, String by, String how) {}

  /** Lets one catcher loose on a mutant. */
  Result run(Mutant mutant, String catcher) {
    Function<String, Optional<String>> mutated =
        inside(MutatedClasses.of(className(mutant.file()), mutant.source(root)));
    return catcher.equals(SIMULATION) ? simulate(mutated) : once(mutated, catcher);
  }

  /** {@code …/src/main/java/a/B.java} holds the class {@code a.B}. */
  private static String className(Path file) {
    String path = file.toString().replace('\\', '/');
    String inside = path.substring(path.indexOf("src/main/java/") + "src/main/java/".length());
    return inside.substring(0, inside.length() - ".java".length()).replace('/', '.');
  }

  private Result simulate(Function<String, Optional<String>> mutated) {
    for (long seed = 1; seed <= seeds; seed++) {
      Optional<String> failure = mutated.apply("seed " + seed);
      if (failure.isPresent()) {
        return caught("seed " + seed, "simulation, seed " + seed, failure.get());
      }
    }
    return new Result(false, SIMULATION, seeds + " seeds found nothing");
  }

  private Result once(Function<String, Optional<String>> mutated, String catcher) {
    Optional<String> failure = mutated.apply(catcher);
    if (failure.isEmpty()) {
      return new Result(false, catcher, "it found nothing");
    }
    return catcher.startsWith("explorer ")
        ? new Result(true, catcher, failure.get())
        : caught(catcher, catcher, failure.get());
  }

  private Result caught(String what, String by, String failure) {
    Optional<String> alsoWithout = withoutMutant.computeIfAbsent(what, unchanged);
    return alsoWithout
        .map(other -> new Result(false, by, "it fails without the mutant too: " + other))
        .orElseGet(() -> new Result(true, by, failure));
  }

  @SuppressWarnings("unchecked") // what is loaded there implements this
  private static Function<String, Optional<String>> inside(MutatedClasses classes) {
    try {
      Function<String, Optional<String>> inside =
          (Function<String, Optional<String>>)
              classes.loadClass(Inside.class.getName()).getConstructor().newInstance();
      return what -> {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(classes);
        try {
          return inside.apply(what);
        } finally {
          thread.setContextClassLoader(before);
        }
      };
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
