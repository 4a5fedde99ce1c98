package dev.tula.connect.sink.fencing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.sink.engine.LakeException;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LeaseKeeperTest {
  /** So long that no renewal comes by itself while a test runs. */
  private static final long TTL_MS = 3_600_000;

  /** So short that renewals come, and long enough for a busy machine to take it. */
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
        .isInstanceOfSatisfying(LakeException.class, e -> assertThat(e.isRetriable()).isTrue())
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
  void renewals_that_fail_are_counted() throws Exception {
    CountDownLatch failed = new CountDownLatch(3);
    LeaseStore failing =
        renewing(
            () -> {
              failed.countDown();
              throw LakeException.passing("no store", null);
            });
    try (LeaseKeeper keeper = new LeaseKeeper(failing, "f", "o", SHORT_TTL_MS, nowMs::get)) {
      keeper.take();
      assertThat(failed.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(keeper.failedRenewals()).isGreaterThanOrEqualTo(2);
    }
  }

  @Test
  void it_renews_the_lease_by_itself() throws Exception {
    CountDownLatch renewals = new CountDownLatch(3);
    LeaseStore counting = renewing(renewals::countDown);
    try (LeaseKeeper keeper = new LeaseKeeper(counting, "l", "o", SHORT_TTL_MS, nowMs::get)) {
      keeper.take();
      assertThat(renewals.await(30, TimeUnit.SECONDS)).isTrue();
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
