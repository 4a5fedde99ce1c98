package dev.tula.connect.sink.fencing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.sink.engine.LakeException;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class LeaseKeeperTest {
  /** So long that no renewal comes by itself while a test runs. */
  private static final long TTL_MS = 3_600_000;

  /** So short that renewals come. */
  private static final long SHORT_TTL_MS = 600;

  private final MemoryLeaseStore store = new MemoryLeaseStore();
  private final AtomicLong nowMs = new AtomicLong();
  private final LeaseKeeper first = keeper("first");
  private final LeaseKeeper second = keeper("second");

  private LeaseKeeper keeper(String owner) {
    return new LeaseKeeper(store, "ledger/p0", owner, TTL_MS, nowMs::get);
  }

  @AfterEach
  void close() {
    first.close();
    second.close();
  }

  @Test
  void without_the_lease_nothing_may_be_written() {
    assertThatThrownBy(first::check).isInstanceOf(LeaseLostException.class);
    first.take();
    assertThatCode(first::check).doesNotThrowAnyException();
    nowMs.addAndGet(TTL_MS);
    assertThatThrownBy(first::check)
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining("ledger/p0 of first")
        .hasMessageContaining("restarted");
  }

  @Test
  void who_waits_is_told_who_holds_it_and_for_how_long() {
    first.take();
    assertThatThrownBy(second::take)
        .isInstanceOfSatisfying(
            LeaseHeldException.class, e -> assertThat(e.askAgainMs()).isEqualTo(5_000))
        .hasMessageContaining("held by first")
        .hasMessageContaining(TTL_MS + " ms");
    nowMs.addAndGet(TTL_MS);
    second.take();
    assertThat(second.isHeld()).isTrue();
    assertThat(first.isHeld()).isFalse();
  }

  @Test
  void closing_it_lets_the_next_writer_begin_at_once() {
    first.take();
    first.close();
    second.take();
    assertThat(second.isHeld()).isTrue();
  }

  @Test
  void who_waits_says_so_once_a_minute_and_no_more_often() {
    first.take();
    int minutes = 10;
    try (CapturedLines log = new CapturedLines(LeaseKeeper.class)) {
      for (int i = 0; i < minutes * 60; i++) {
        assertThatThrownBy(second::take).isInstanceOf(LeaseHeldException.class);
        nowMs.addAndGet(1_000);
      }
      assertThat(log.lines()).hasSize(minutes).allMatch(line -> line.contains("held by first"));
    }
  }

  @Test
  void a_lease_that_the_store_hands_over_late_is_used_by_the_next_try() throws Exception {
    SlowLeaseStore slow = new SlowLeaseStore(store);
    try (LeaseKeeper keeper = new LeaseKeeper(slow, "ledger/p0", "late", 300, nowMs::get)) {
      assertThatThrownBy(keeper::take)
          .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isTrue())
          .hasMessageContainingAll("ledger/p0", "has not answered for 300 ms");
      assertThatThrownBy(keeper::take)
          .as("queued behind the first try")
          .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isTrue());
      slow.answer();
      awaitTaken(keeper);
      assertThatCode(keeper::check).doesNotThrowAnyException();
      assertThatThrownBy(second::take).hasMessageContaining("held by late");
    }
  }

  /** On a busy machine the store may seem slow once more. */
  private static void awaitTaken(LeaseKeeper keeper) {
    while (!keeper.isHeld()) {
      try {
        keeper.take();
      } catch (LakeException e) {
        assertThat(e).hasMessageContaining("has not answered");
      }
    }
  }

  @Test
  void a_lease_that_the_store_hands_over_when_nobody_waits_any_more_is_given_back()
      throws Exception {
    SlowLeaseStore slow = new SlowLeaseStore(store);
    try (LeaseKeeper keeper = new LeaseKeeper(slow, "ledger/p0", "late", 300, nowMs::get)) {
      assertThatThrownBy(keeper::take).hasMessageContaining("has not answered");
      slow.answer();
      slow.awaitDone(2);
      second.take();
      assertThat(second.isHeld()).isTrue();
      assertThat(keeper.isHeld()).isFalse();
    }
  }

  @Test
  void a_task_that_is_stopped_while_it_takes_the_lease_leaves_none_behind() throws Exception {
    SlowLeaseStore slow = new SlowLeaseStore(store);
    try (LeaseKeeper keeper = new LeaseKeeper(slow, "ledger/p0", "late", TTL_MS, nowMs::get)) {
      Thread taking = Thread.currentThread();
      Thread stopping =
          new Thread(
              () -> {
                slow.awaitBegun(1);
                taking.interrupt();
              });
      stopping.start();
      assertThatThrownBy(keeper::take).hasMessageContaining("interrupted");
      assertThat(Thread.interrupted()).isTrue();
      slow.answer();
      slow.awaitDone(2);
      second.take();
      assertThat(second.isHeld()).isTrue();
    }
  }

  @Test
  void a_lease_whose_store_hangs_at_the_end_is_given_up_once_it_answers() throws Exception {
    SlowLeaseStore slow = new SlowLeaseStore(store);
    slow.answer();
    LeaseKeeper keeper = new LeaseKeeper(slow, "ledger/p0", "slow", TTL_MS, nowMs::get);
    keeper.take();
    slow.hang();
    keeper.close();
    assertThatThrownBy(second::take).hasMessageContaining("held by slow");
    slow.answer();
    slow.awaitDone(2);
    second.take();
    assertThat(second.isHeld()).isTrue();
  }

  @Test
  void renewals_that_fail_are_counted() throws Exception {
    CountDownLatch failed = new CountDownLatch(3);
    AtomicBoolean taken = new AtomicBoolean();
    LeaseStore failing =
        renewing(
            () -> {
              if (taken.get()) {
                failed.countDown();
                throw LakeException.passing("no store", null);
              }
            });
    try (LeaseKeeper keeper = new LeaseKeeper(failing, "f", "o", SHORT_TTL_MS, nowMs::get)) {
      awaitTaken(keeper);
      taken.set(true);
      assertThat(failed.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(keeper.failedRenewals()).isGreaterThanOrEqualTo(2);
    }
  }

  @Test
  void it_renews_the_lease_by_itself() throws Exception {
    CountDownLatch renewals = new CountDownLatch(3);
    LeaseStore counting = renewing(renewals::countDown);
    try (LeaseKeeper keeper = new LeaseKeeper(counting, "l", "o", SHORT_TTL_MS, nowMs::get)) {
      awaitTaken(keeper);
      assertThat(renewals.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(keeper.isHeld()).isTrue();
    }
  }

  /** The store, where something happens at each renewal before it is carried out. */
  private LeaseStore renewing(Runnable before) {
    return new LeaseStore() {
      @Override
      public Optional<LeaseRecord> read(String name) {
        return store.read(name);
      }

      @Override
      public boolean swap(String name, Optional<LeaseRecord> expected, LeaseRecord next) {
        if (expected.isPresent()) {
          before.run();
        }
        return store.swap(name, expected, next);
      }
    };
  }
}
