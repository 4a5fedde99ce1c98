package dev.tula.connect.sink.mutants;

import dev.tula.connect.sink.engine.sim.ExplorerCase;
import dev.tula.connect.sink.engine.sim.Found;
import dev.tula.connect.sink.engine.sim.SeedRun;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * What runs among a mutant's classes: {@code seed N}, {@code explorer CASE} or {@code test
 * CLASS#METHOD}. Answers with what was found to be broken, if anything was: its names and its text.
 * Loaded once for each mutant, and called from outside, so it is known there by this interface
 * alone.
 */
public final class Inside implements Function<String, Optional<Map.Entry<Set<String>, String>>> {
  private static final String PACKAGE = "dev.tula.connect.";
  private static final Path TESTS = Path.of("src/test/java");

  /** Made by reflection. */
  public Inside() {}

  @Override
  public Optional<Map.Entry<Set<String>, String>> apply(String what) {
    String argument = what.substring(what.indexOf(' ') + 1);
    if (what.startsWith("test ")) {
      return test(argument);
    }
    Optional<Found> found =
        what.startsWith("seed ")
            ? SeedRun.of(Long.parseLong(argument), 0).failure()
            : ExplorerCase.ofWord(argument).found();
    return found.map(broken -> Map.entry(broken.kinds(), broken.text()));
  }

  private static Optional<Map.Entry<Set<String>, String>> test(String name) {
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectMethod(testClass(name), method(name)))
                .build(),
            listener);
    TestExecutionSummary summary = listener.getSummary();
    List<TestExecutionSummary.Failure> failures = summary.getFailures();
    if (failures.isEmpty() && summary.getTestsSucceededCount() == 0) {
      throw new IllegalArgumentException("no test ran: " + name);
    }
    return failures.stream().findFirst().map(failure -> broken(failure.getException()));
  }

  /** A test catches by what it asserts; an exception on the way is found by its class. */
  private static Map.Entry<Set<String>, String> broken(Throwable failure) {
    return failure instanceof AssertionError || isDemandOfATest(failure)
        ? Map.entry(Set.of(Mutant.ASSERTION), String.valueOf(failure.getMessage()).strip())
        : Map.entry(Set.of(failure.getClass().getSimpleName()), failure.toString());
  }

  /** A test's own {@code orElseThrow}: it demands what is not there, such as a stop or a state. */
  private static boolean isDemandOfATest(Throwable failure) {
    return failure instanceof NoSuchElementException
        && Arrays.stream(failure.getStackTrace())
            .map(StackTraceElement::getClassName)
            .filter(name -> !name.startsWith("java."))
            .findFirst()
            .map(name -> name.replaceFirst("\\$.*", "").replace('.', '/') + ".java")
            .filter(file -> Files.exists(TESTS.resolve(file)))
            .isPresent();
  }

  private static Class<?> testClass(String name) {
    String className = PACKAGE + name.substring(0, name.indexOf('#'));
    try {
      return Class.forName(className, false, Inside.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IllegalArgumentException("there is no test class " + className, e);
    }
  }

  /** The test method of a name, its class's own or inherited, whatever its parameters. */
  static Method method(String name) {
    String wanted = name.substring(name.indexOf('#') + 1);
    return Stream.<Class<?>>iterate(testClass(name), Objects::nonNull, Class::getSuperclass)
        .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
        .filter(method -> method.getName().equals(wanted))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("there is no test " + name));
  }
}
