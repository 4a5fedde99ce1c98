package dev.tula.connect.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.queryport.ManualClock;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PollTimesTest {
  private final ManualClock clock = new ManualClock();
  private final PollTimes times = new PollTimes(clock);

  @Test
  void a_poll_counts_for_the_limit_that_it_met_exactly_and_for_every_one_above() {
    times.took(TimeUnit.MILLISECONDS.toNanos(1_000));
    assertThat(times.getPollsWithin500Ms()).isZero();
    assertThat(times.getPollsWithin1000Ms()).isOne();
    assertThat(times.getPollsWithin2000Ms()).isOne();
    assertThat(times.getLongestPollMs()).isEqualTo(1_000);
  }

  @Test
  void a_nanosecond_more_is_over_the_limit() {
    times.took(TimeUnit.MILLISECONDS.toNanos(1_000) + 1);
    assertThat(times.getPollsWithin1000Ms()).isZero();
    assertThat(times.getPollsWithin2000Ms()).isOne();
    assertThat(times.getLongestPollMs()).isEqualTo(1_001);
  }

  @Test
  void one_beyond_every_limit_is_in_the_total_alone() {
    times.took(TimeUnit.SECONDS.toNanos(12));
    times.took(0);
    assertThat(times.getPollsWithin1Ms()).isOne();
    assertThat(times.getPollsWithin2000Ms()).isOne();
    assertThat(times.getPollsTotal()).isEqualTo(2);
    assertThat(times.getPollSecondsTotal()).isEqualTo(12);
    assertThat(times.getLongestPollMs()).isEqualTo(12_000);
  }

  @Test
  void every_limit_has_a_count_of_its_own() {
    for (long ms : new long[] {1, 2, 6, 11, 51, 101, 251, 501, 1_001}) {
      times.took(TimeUnit.MILLISECONDS.toNanos(ms));
    }
    assertThat(
            new long[] {
              times.getPollsWithin1Ms(),
              times.getPollsWithin5Ms(),
              times.getPollsWithin10Ms(),
              times.getPollsWithin50Ms(),
              times.getPollsWithin100Ms(),
              times.getPollsWithin250Ms(),
              times.getPollsWithin500Ms(),
              times.getPollsWithin1000Ms(),
              times.getPollsWithin2000Ms()
            })
        .containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9);
  }

  @Test
  void the_line_for_the_log_has_all_of_it() {
    times.took(TimeUnit.MILLISECONDS.toNanos(3));
    clock.advance(4_500);
    assertThat(times.describe())
        .isEqualTo(
            "it ran for 4500 ms and polled 1 times, the longest 3 ms; within ms: 1=0 5=1 10=1 50=1"
                + " 100=1 250=1 500=1 1000=1 2000=1 ("
                + times.getInstanceId()
                + ")");
  }
}
