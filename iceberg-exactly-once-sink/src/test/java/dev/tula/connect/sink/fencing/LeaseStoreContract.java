package dev.tula.connect.sink.fencing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What every kind of store does. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
abstract class LeaseStoreContract {
  static final String NAME = "cluster/pay ments/g1/p0";

  private static final int WRITERS = 8;

  /** A store of its own over the same leases, as another process has one. */
  abstract LeaseStore store();

  @Test
  void a_lease_is_changed_only_by_who_knows_what_it_is() {
    LeaseStore store = store();
    LeaseRecord first = new LeaseRecord("a", 1, 500);
    LeaseRecord second = new LeaseRecord("b", 2, 600);
    assertThat(store.read(NAME)).isEmpty();
    assertThat(store.swap(NAME, Optional.empty(), first)).isTrue();
    assertThat(store.swap(NAME, Optional.empty(), second)).isFalse();
    assertThat(store.swap(NAME, Optional.of(second), first)).isFalse();
    assertThat(store.read(NAME)).contains(first);
    assertThat(store.swap(NAME, Optional.of(first), second)).isTrue();
    assertThat(store().read(NAME)).as("by another process").contains(second);
    assertThat(store.read("another lease")).isEmpty();
  }

  @Test
  void of_many_who_want_it_at_once_one_gets_it() throws Exception {
    Optional<LeaseRecord> expected = store().read(NAME);
    for (int round = 1; round <= 10; round++) {
      Optional<LeaseRecord> before = expected;
      int number = round;
      List<Boolean> won =
          atOnce(writer -> store().swap(NAME, before, new LeaseRecord("w" + writer, number, 500)));
      assertThat(won).as("round %d", round).containsOnlyOnce(true);
      expected = store().read(NAME);
      assertThat(expected.orElseThrow().renewals()).isEqualTo(round);
    }
  }

  @Test
  void of_many_who_begin_with_an_empty_store_one_gets_it() throws Exception {
    List<Boolean> won =
        atOnce(writer -> new Lease(store(), NAME, "w" + writer, 60_000, () -> 0).take().isEmpty());
    assertThat(won).containsOnlyOnce(true);
  }

  @Test
  void a_lease_goes_from_one_writer_to_the_next() {
    long[] nowMs = {0};
    Lease first = new Lease(store(), NAME, "first", 1_000, () -> nowMs[0]);
    Lease second = new Lease(store(), NAME, "second", 1_000, () -> nowMs[0]);
    assertThat(first.take()).isEmpty();
    nowMs[0] = 900;
    first.renew();
    assertThat(second.take().map(Lease.Holder::record).map(LeaseRecord::owner)).contains("first");
    nowMs[0] = 1_900;
    assertThat(second.take()).as("stood still for its whole lifetime").isEmpty();
    first.renew();
    assertThat(first.isHeld()).isFalse();
    second.giveUp();
    assertThat(new Lease(store(), NAME, "third", 1_000, () -> nowMs[0]).take()).isEmpty();
  }

  /** What a writer tries; it may take a store of its own. */
  private interface Try {
    boolean by(int writer);
  }

  private static List<Boolean> atOnce(Try attempt) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
    try {
      List<Callable<Boolean>> tries = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        int writer = i;
        tries.add(() -> attempt.by(writer));
      }
      List<Boolean> won = new ArrayList<>();
      for (Future<Boolean> attempted : threads.invokeAll(tries)) {
        won.add(attempted.get());
      }
      return won;
    } finally {
      threads.shutdownNow();
    }
  }
}
