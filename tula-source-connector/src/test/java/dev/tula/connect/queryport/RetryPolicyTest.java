package dev.tula.connect.queryport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {
  @Property
  void a_wait_is_never_above_the_cap_and_never_below_half_of_what_is_due(
      @ForAll @LongRange(min = 1, max = 60_000) long initialMs,
      @ForAll @LongRange(min = 0, max = 1_000_000) long more,
      @ForAll @IntRange(max = Integer.MAX_VALUE) int attempt,
      @ForAll long seed) {
    long maxMs = initialMs + more;
    RetryPolicy policy = new RetryPolicy(initialMs, maxMs, 0, 0);
    long waitMs = policy.backoffMs(attempt, new Random(seed));
    double due = Math.min(maxMs, initialMs * Math.pow(2, Math.min(attempt, 30)));
    assertThat(waitMs).isLessThanOrEqualTo(maxMs).isGreaterThanOrEqualTo((long) (due / 2));
  }

  @Test
  void waits_differ_from_client_to_client() {
    RetryPolicy policy = new RetryPolicy(1_000, 60_000, 0, 0);
    assertThat(policy.backoffMs(3, new Random(1))).isNotEqualTo(policy.backoffMs(3, new Random(2)));
  }

  @Test
  void limits_that_contradict_each_other_are_refused() {
    assertThatIllegalArgumentException().isThrownBy(() -> new RetryPolicy(0, 1, 0, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> new RetryPolicy(2, 1, 0, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> new RetryPolicy(1, 1, -1, 0));
  }
}
