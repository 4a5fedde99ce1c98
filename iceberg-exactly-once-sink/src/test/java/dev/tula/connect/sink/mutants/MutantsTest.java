package dev.tula.connect.sink.mutants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A few mutants, and that the descriptions of all fit the sources; {@code bin/mutants} runs all.
 */
class MutantsTest {
  private static final int RULES = 30;

  private static final long SEEDS = 400;

  /**
   * What task and lake fail with, which a test sees of a mutant that lets them fail where they must
   * not.
   */
  private static final List<String> FAILURES = List.of("ConnectException", "LakeException");

  /** The names that checks go by. An exception is none, so that no mutant can count on one. */
  private static final List<String> FINDINGS =
      List.of(
          "I1",
          "I2",
          "I3",
          "I4",
          "I5",
          "I6",
          "C11",
          "C12",
          "C18",
          "C19",
          "C20",
          "C21",
          "C25",
          "C26",
          "C28",
          "C29",
          "digest",
          "totals",
          "state",
          "closed through",
          "verify",
          "repair",
          "stuck",
          "86 for nothing",
          "88 for nothing",
          "fenced for nothing",
          "failed for nothing");

  private static final List<String> DESCRIPTION =
      List.of(
          "rule: C1",
          "breaks: it",
          "file: A.java",
          "caught-by: simulation",
          "<<<<",
          "  b;",
          "====",
          "  c;",
          "  d;",
          ">>>>");

  private static final List<String> MISPLACED =
      List.of("rule: C1", "breaks: it", "expect: I1", "file: A.java", "<<<<", "====", ">>>>");

  private static List<Mutant> mutants() {
    return Mutant.in(Mutants.DESCRIPTIONS);
  }

  private static Stream<Mutant> samples() {
    return mutants().stream().filter(Mutant::sample);
  }

  @ParameterizedTest
  @MethodSource("samples")
  void a_broken_rule_is_caught(Mutant mutant) {
    Hunt hunt = new Hunt(Mutants.ROOT, SEEDS);
    for (Mutant.Catcher catcher : mutant.catchers()) {
      Hunt.Result result = hunt.run(mutant, catcher);
      assertThat(result.caught()).as(result.by() + ": " + result.how()).isTrue();
    }
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void a_mutant_fits_the_source_and_names_what_must_catch_it(Mutant mutant) {
    assertThat(mutant.sources(Mutants.ROOT)).isNotEmpty();
    assertThat(mutant.catchers()).isNotEmpty();
    assertThat(mutant.name()).startsWith(mutant.rule() + "-");
    for (Mutant.Catcher catcher : mutant.catchers()) {
      assertThat(catcher.what()).matches("simulation|explorer [a-z-]+|test [A-Za-z.$]+#[a-z_]+");
      assertThat(catcher.expected()).as(catcher.what()).isNotEmpty();
      if (catcher.isTest()) {
        assertThat(catcher.expected()).hasSize(1);
        assertThat(
                catcher.expected().equals(Set.of(Mutant.ASSERTION))
                    || FAILURES.containsAll(catcher.expected()))
            .isTrue();
        expectTest(mutant, catcher.what().substring("test ".length()));
      } else {
        assertThat(catcher.expected()).as(catcher.what()).isSubsetOf(FINDINGS);
      }
    }
  }

  /** Another module's tests are not on this one's class path, and may not be built yet. */
  private static void expectTest(Mutant mutant, String name) {
    Path module = mutant.folders(Mutants.ROOT).get(0).getParent().getParent();
    String file = name.replaceFirst("[#$].*", "").replace('.', '/') + ".java";
    Path source = module.resolve("src/test/java/dev/tula/connect").resolve(file);
    if (module.endsWith("tula-source-connector")) {
      assertThat(source).content().contains("void " + name.substring(name.indexOf('#') + 1) + "(");
    } else {
      assertThat(Inside.method(name)).isNotNull();
    }
  }

  @Test
  void every_rule_has_a_mutant() {
    Set<String> rules =
        IntStream.rangeClosed(1, RULES)
            .mapToObj(rule -> "C" + rule)
            .collect(Collectors.toCollection(TreeSet::new));

    assertThat(mutants().stream().map(Mutant::rule).collect(Collectors.toSet())).isEqualTo(rules);
  }

  @Test
  @DisplayName("What is found and was not expected is no catch")
  void a_catch_of_another_kind_does_not_count() {
    Mutant mutant =
        mutants().stream()
            .filter(candidate -> candidate.name().equals("C10-offset-past-the-watermark"))
            .findFirst()
            .orElseThrow();
    Mutant.Catcher other = new Mutant.Catcher("simulation", Set.of("I1"));

    Hunt.Result result = new Hunt(Mutants.ROOT, SEEDS).run(mutant, other);

    assertThat(result.caught()).isFalse();
    assertThat(result.how()).contains("not one of [I1] was found, but I3");
  }

  @Test
  @DisplayName("A description that does not fit its source, or that changes nothing, fails loudly")
  void a_text_that_is_not_there_exactly_once_fails() {
    Mutant mutant = Mutant.parse("C1-a", DESCRIPTION);

    assertThat(mutant.edited("a;\n  b;\ne;\n")).isEqualTo("a;\n  c;\n  d;\ne;\n");
    assertThatThrownBy(() -> mutant.edited("a;\n")).hasMessageContaining("is not in A.java");
    assertThatThrownBy(() -> mutant.edited("  b;\n  b;\n")).hasMessageContaining("more than once");
    assertThatThrownBy(() -> Mutant.parse("C1-a", DESCRIPTION.subList(0, 4)))
        .hasMessageContaining("changes nothing");
    assertThatThrownBy(() -> Mutant.parse("C1-a", DESCRIPTION.subList(0, 9)))
        .hasMessageContaining("without >>>>");
    assertThatThrownBy(() -> Mutant.parse("C1-a", MISPLACED)).hasMessageContaining("follows no");
    assertThatThrownBy(() -> Mutant.parse("C1-a", DESCRIPTION.subList(3, 10)))
        .hasMessageContaining("names no file");
    assertThatThrownBy(() -> Mutant.parse("C1-a", DESCRIPTION.subList(1, 10)))
        .hasMessageContaining("0 lines \"rule:\"");
  }
}
