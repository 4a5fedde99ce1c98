package dev.tula.connect.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class StartedPartsTest {
  private final List<String> stopped = new ArrayList<>();
  private final StartedParts parts = new StartedParts("the stack");

  private AutoCloseable part(String name) {
    return () -> stopped.add(name);
  }

  @Test
  void parts_stop_in_the_other_order_than_they_started_in() {
    parts.start(() -> part("engine"));
    parts.start(
        () -> {
          parts.start(() -> part("proxy"));
          return part("broker");
        });
    parts.start(() -> part("worker"));

    parts.close();

    assertThat(stopped).containsExactly("worker", "broker", "proxy", "engine");
  }

  @Test
  void a_part_that_fails_to_stop_does_not_keep_the_others_running() {
    parts.start(() -> part("engine"));
    parts.<AutoCloseable>start(
        () ->
            () -> {
              throw new IOException("outlived SIGKILL");
            });
    parts.start(() -> part("worker"));

    parts.close();

    assertThat(stopped).containsExactly("worker", "engine");
  }

  @Test
  void a_part_that_does_not_start_leaves_the_others_to_be_stopped() {
    parts.start(() -> part("engine"));

    assertThatThrownBy(
            () ->
                parts.<AutoCloseable>start(
                    () -> {
                      throw new StackException("the broker ended with exit code 1");
                    }))
        .isInstanceOf(StackException.class)
        .hasMessageContaining("the broker");
    assertThat(stopped).isEmpty();
    parts.close();

    assertThat(stopped).containsExactly("engine");
  }

  @Test
  void a_part_that_starts_after_the_close_is_stopped_and_refused() {
    parts.close();

    assertThatThrownBy(() -> parts.start(() -> part("late")))
        .isInstanceOf(StackException.class)
        .hasMessageContaining("the stack was stopped");
    assertThat(stopped).containsExactly("late");
  }

  @Test
  void a_close_from_another_thread_does_not_wait_for_a_part_that_is_still_starting()
      throws Exception {
    CountDownLatch starting = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    parts.start(() -> part("engine"));
    CompletableFuture<AutoCloseable> starter =
        CompletableFuture.supplyAsync(
            () ->
                parts.start(
                    () -> {
                      starting.countDown();
                      await(closed);
                      return part("late");
                    }));
    await(starting);
    parts.close();
    assertThat(stopped).containsExactly("engine");
    closed.countDown();

    assertThatThrownBy(starter::get).hasCauseInstanceOf(StackException.class);
    assertThat(stopped).containsExactly("engine", "late");
  }

  @Test
  void a_second_close_is_harmless() {
    parts.start(() -> part("engine"));

    parts.close();
    parts.close();

    assertThat(stopped).containsExactly("engine");
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StackException("interrupted", e);
    }
  }
}
