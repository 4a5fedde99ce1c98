package dev.tula.connect.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class RangeTest {
  @Provide
  Arbitrary<Position> positions() {
    return LedgerArbitraries.positions();
  }

  @Property
  void adjoining_ranges_hold_every_position_once(
      @ForAll("positions") Position a,
      @ForAll("positions") Position b,
      @ForAll("positions") Position c,
      @ForAll("positions") Position probe) {
    Position first = Position.min(a, Position.min(b, c));
    Position last = Position.max(a, Position.max(b, c));
    Position middle = Position.max(Position.min(a, b), Position.min(Position.max(a, b), c));
    Range whole = new Range(first, last);
    Range lower = new Range(first, middle);
    Range upper = new Range(middle, last);
    assertThat(lower.contains(probe) && upper.contains(probe)).isFalse();
    assertThat(lower.contains(probe) || upper.contains(probe)).isEqualTo(whole.contains(probe));
  }

  @Test
  void from_is_outside_and_to_inside() {
    Range range = new Range(Position.batchEnd(3), Position.batchEnd(5));
    assertThat(range.contains(Position.batchEnd(3))).isFalse();
    assertThat(range.contains(new Position(4, 0))).isTrue();
    assertThat(range.contains(Position.batchEnd(5))).isTrue();
    assertThat(range.contains(new Position(6, 0))).isFalse();
    assertThat(range.isEmpty()).isFalse();
    assertThat(range).hasToString("(3:2147483647, 5:2147483647]");
  }

  @Test
  void a_range_from_a_position_to_itself_is_empty() {
    Range range = new Range(Position.ORIGIN, Position.ORIGIN);
    assertThat(range.isEmpty()).isTrue();
    assertThat(range.contains(Position.ORIGIN)).isFalse();
  }

  @Test
  void a_range_that_runs_backwards_is_refused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Range(Position.batchEnd(5), Position.batchEnd(3)))
        .withMessageContaining("backwards");
  }
}
