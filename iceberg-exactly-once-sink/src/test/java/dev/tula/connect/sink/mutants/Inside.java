package dev.tula.connect.sink.mutants;

import dev.tula.connect.sink.engine.sim.ExplorerCase;
import dev.tula.connect.sink.engine.sim.SeedRun;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * What runs among a mutant's classes: {@code seed N}, {@code explorer CASE} or {@code test
 * CLASS#METHOD}. Answers with what was found to be broken, if anything was. Loaded once for each
 * mutant, and called from outside, so it is known there by this interface alone.
 */
public final class Inside implements Function<String, Optional<String>> {
  private static final String PACKAGE = "dev.tula.connect.";

  /** Made by reflection. */
  public Inside() {}

  @Override
  public Optional<String> apply(String what) {
    String argument = what.substring(what.indexOf(' ') + 1);
    if (what.startsWith("seed ")) {
      return SeedRun.of(Long.parseLong(argument), 0).failure();
    }
    return what.startsWith("explorer ") ? explore(argument) : test(argument);
  }

  private static Optional<String> explore(String word) {
    try {
      ExplorerCase.ofWord(word).explore();
      return Optional.empty();
    } catch (AssertionError e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  private static Optional<String> test(String name) {
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
    return failures.stream()
        .findFirst()
        .map(failure -> String.valueOf(failure.getException().getMessage()).strip());
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
