package dev.tula.connect.refnode.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.BigRange;
import org.junit.jupiter.api.Test;

class AmountTest {
  private static final String LIMIT = "9999999999999999999999999999";

  @Property
  void sums_and_orders_like_whole_numbers(
      @ForAll @BigRange(min = "-" + LIMIT, max = LIMIT) BigInteger a,
      @ForAll @BigRange(min = "-" + LIMIT, max = LIMIT) BigInteger b) {
    Amount left = Amount.of(a);
    Amount right = Amount.of(b);
    Sum sum = new Sum().set(left.high(), left.low());

    assertThat(left.toBigInteger()).isEqualTo(a);
    assertThat(left.compareTo(right)).isEqualTo(a.compareTo(b));
    assertThat(left.isPositive()).isEqualTo(a.signum() > 0);
    assertThat(sum.add(right).toAmount().toBigInteger()).isEqualTo(a.add(b));
    assertThat(sum.subtract(right).subtract(right).toAmount().toBigInteger())
        .isEqualTo(a.subtract(b));
    assertThat(sum.isNegative()).isEqualTo(a.subtract(b).signum() < 0);
    assertThat(sum.exceeds(right)).isEqualTo(a.subtract(b).compareTo(b) > 0);
  }

  @Test
  void more_than_28_digits_are_refused() {
    assertThat(Amount.parse(LIMIT)).isEqualTo(Amount.MAX);
    assertThatThrownBy(() -> Amount.parse(LIMIT + "0")).hasMessageContaining("28 digits");
    assertThatThrownBy(() -> Amount.of(BigInteger.TWO.pow(200))).hasMessageContaining("28 digits");
    assertThatThrownBy(() -> Amount.parse("1.5")).hasMessageContaining("not a whole number");
  }
}
