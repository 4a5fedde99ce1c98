package dev.tula.connect.sink.mutants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
    for (String catcher : mutant.catchers()) {
      Hunt.Result result = hunt.run(mutant, catcher);
      assertThat(result.caught()).as(result.by() + ": " + result.how()).isTrue();
    }
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void a_mutant_fits_the_source_and_names_what_must_catch_it(Mutant mutant) {
    assertThat(mutant.source(Mutants.ROOT)).isNotEmpty();
    assertThat(mutant.catchers()).isNotEmpty();
    assertThat(mutant.name()).startsWith(mutant.rule() + "-");
    for (String catcher : mutant.catchers()) {
      assertThat(catcher).matches("simulation|explorer [a-z-]+|test [A-Za-z.]+#[a-z_]+");
      if (catcher.startsWith("test ")) {
        assertThat(Inside.method(catcher.substring("test ".length()))).isNotNull();
      }
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
    assertThatThrownBy(() -> Mutant.parse("C1-a", DESCRIPTION.subList(1, 10)))
        .hasMessageContaining("0 lines \"rule:\"");
  }
}
