package dev.tula.connect.local.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FaultsTest {
  private static final Fault.Step NOTHING = () -> {};

  private static List<Fault> some(int count) {
    return IntStream.range(0, count)
        .mapToObj(
            i ->
                Fault.lasting(
                    "fault " + i,
                    List.of(Fault.Part.values()[i % Fault.Part.values().length]),
                    10,
                    20,
                    NOTHING,
                    NOTHING))
        .toList();
  }

  private static List<String> names(long seed, int count) {
    FaultDraw draw = new FaultDraw(some(10), seed);
    List<String> names = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      names.add(draw.next(Set.of()).orElseThrow().name());
    }
    return names;
  }

  @Test
  void every_fault_comes_before_any_comes_again() {
    List<String> names = names(1, 20);
    assertThat(names.subList(0, 10)).doesNotHaveDuplicates();
    assertThat(names.subList(10, 20)).doesNotHaveDuplicates();
  }

  @Test
  void a_seed_draws_the_same_faults_again_and_another_seed_others() {
    assertThat(names(5, 30)).isEqualTo(names(5, 30)).isNotEqualTo(names(6, 30));
  }

  @Test
  void a_fault_waits_for_the_parts_that_another_is_in() {
    FaultDraw draw = new FaultDraw(some(2), 1);
    Set<Fault.Part> first = Set.of(Fault.Part.values()[0]);
    assertThat(draw.next(first).orElseThrow().name()).isEqualTo("fault 1");
    assertThat(draw.next(first)).isEmpty();
    assertThat(draw.next(Set.of()).orElseThrow().name()).isEqualTo("fault 0");
  }

  @Test
  void every_fault_that_began_is_healed_when_the_run_ends() throws Exception {
    AtomicInteger broken = new AtomicInteger();
    CountDownLatch begun = new CountDownLatch(2);
    try (FaultRunner runner = new FaultRunner()) {
      for (Fault.Part part : List.of(Fault.Part.BROKER, Fault.Part.STORE)) {
        Fault endless =
            Fault.lasting(
                "endless " + part,
                List.of(part),
                0,
                0,
                () -> {
                  broken.incrementAndGet();
                  begun.countDown();
                },
                broken::decrementAndGet);
        runner.start(endless, 3_600_000);
      }
      begun.await();
      assertThat(runner.busy()).containsExactlyInAnyOrder(Fault.Part.BROKER, Fault.Part.STORE);
      runner.healAll();
      assertThat(broken).hasValue(0);
      assertThat(runner.busy()).isEmpty();
      assertThat(runner.tallies())
          .hasSize(2)
          .allSatisfy((name, tally) -> assertThat(tally.count()).isEqualTo(1));
      assertThat(runner.failure()).isEqualTo(Optional.empty());
    }
  }

  @Test
  void a_fault_that_fails_itself_is_healed_all_the_same_and_told() {
    AtomicInteger healed = new AtomicInteger();
    Fault failing =
        Fault.lasting(
            "failing",
            List.of(Fault.Part.LEDGER),
            0,
            0,
            () -> {
              throw new IllegalStateException("no such node");
            },
            healed::incrementAndGet);
    try (FaultRunner runner = new FaultRunner()) {
      runner.start(failing, 0);
      runner.healAll();
      assertThat(healed).hasValue(1);
      assertThat(runner.failure().orElseThrow())
          .hasMessageContaining("failing")
          .hasMessageContaining("no such node");
    }
  }
}
