package dev.tula.connect.sink.engine.sim;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every state of two writers, two tables and the watermark table: C4, C5, C6, C9, C14 to C16, C19.
 * {@link Explorer} says what is left out.
 */
class ExplorerTest {
  @ParameterizedTest
  @EnumSource
  @DisplayName("In every state the invariants hold, and where nothing more can happen all is there")
  void no_state_breaks_an_invariant_or_is_a_dead_end(ExplorerCase explored) {
    System.out.println(explored.explore());
  }
}
