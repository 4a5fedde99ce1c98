package dev.tula.connect.sink.lake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TimedCallsTest {
  private static final Duration LIMIT = Duration.ofSeconds(50);

  private final BlockingQueue<String> late = new LinkedBlockingQueue<>();
  private final TimedCalls calls = new TimedCalls("test");

  @AfterEach
  void close() {
    calls.close();
  }

  @Test
  void what_comes_in_time_is_the_caller_s_to_close() {
    assertThat(calls.call("opening", LIMIT, () -> "opened", late::add)).isEqualTo("opened");
    assertThat(late).isEmpty();
  }

  @Test
  void what_comes_after_the_caller_gave_up_is_closed_when_it_comes() throws Exception {
    Thread caller = Thread.currentThread();
    FalseFailureCases.HeldThread opening = new FalseFailureCases.HeldThread();

    assertThatThrownBy(
            () ->
                calls.call(
                    "opening",
                    LIMIT,
                    () -> {
                      caller.interrupt();
                      opening.hold();
                      return "opened";
                    },
                    late::add))
        .isInstanceOf(TimedCalls.AbandonedException.class)
        .hasMessage("opening was interrupted");
    assertThat(Thread.interrupted()).isTrue();
    calls.close();
    opening.release();

    assertThat(late.poll(30, TimeUnit.SECONDS)).isEqualTo("opened");
  }
}
