package dev.tula.connect.sink;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RetriesTest {
  private static final long INITIAL_MS = 1_000;
  private static final long MAX_MS = 8_000;
  private static final long TIMEOUT_MS = 60_000;

  private final AtomicLong now = new AtomicLong(-5_000);
  private final Retries retries =
      new Retries(new Backoff(INITIAL_MS, MAX_MS, TIMEOUT_MS), now::get);

  @Test
  void waits_grow_up_to_a_limit_and_end_with_success() {
    for (long full = INITIAL_MS; full <= 4 * MAX_MS; full *= 2) {
      assertThat(retries.failed("a")).isTrue();
      assertThat(retries.untilDueMs("a"))
          .isBetween(Math.min(full, MAX_MS) / 2, Math.min(full, MAX_MS));
      assertThat(retries.isDue("a")).isFalse();
      assertThat(retries.nextMs()).isEqualTo(retries.untilDueMs("a"));
      now.addAndGet(retries.untilDueMs("a"));
      assertThat(retries.isDue("a")).isTrue();
    }

    retries.succeeded("a");
    assertThat(retries.failed("a")).isTrue();

    assertThat(retries.untilDueMs("a")).isLessThanOrEqualTo(INITIAL_MS);
  }

  @Test
  void failures_in_a_row_are_bounded_in_time_from_the_first() {
    retries.failed("a");
    now.addAndGet(TIMEOUT_MS - 1);
    assertThat(retries.failed("a")).isTrue();
    now.addAndGet(1);

    assertThat(retries.failed("a")).isFalse();
    assertThat(retries.failingForMs("a")).isEqualTo(TIMEOUT_MS);
    assertThat(retries.failed("b")).as("each has a row of its own").isTrue();
  }

  @Test
  void what_is_due_already_is_not_waited_for() {
    retries.failed("a");
    now.addAndGet(INITIAL_MS);

    assertThat(retries.nextMs()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void what_is_forgotten_begins_anew() {
    retries.failed("a");
    retries.failed("b");
    retries.forget("a"::equals);

    assertThat(retries.isDue("a")).isTrue();
    assertThat(retries.failingForMs("a")).isZero();
    assertThat(retries.isDue("b")).isFalse();
  }
}
