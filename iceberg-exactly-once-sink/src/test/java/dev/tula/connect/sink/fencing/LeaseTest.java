package dev.tula.connect.sink.fencing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.sink.engine.LakeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class LeaseTest {
  private static final long TTL_MS = 1_000;

  private final MemoryLeaseStore store = new MemoryLeaseStore();
  private long nowMs = 5_000;
  private final Lease first = lease("first");
  private final Lease second = lease("second");

  private Lease lease(String owner) {
    return new Lease(store, "ledger/p0", owner, TTL_MS, () -> nowMs);
  }

  private static Optional<String> holder(Lease asking) {
    return asking.take().map(Lease.Holder::record).map(LeaseRecord::owner);
  }

  @Test
  void a_lease_that_somebody_renews_is_never_free_for_another() {
    assertThat(first.take()).isEmpty();
    for (int i = 0; i < 20; i++) {
      nowMs += TTL_MS - 1;
      first.renew();
      assertThat(holder(second)).contains("first");
    }
    assertThat(first.isHeld()).isTrue();
    assertThat(second.isHeld()).isFalse();
  }

  @Test
  void a_lease_is_free_once_it_stood_still_for_as_long_as_it_lasts_while_it_was_watched() {
    first.take();
    nowMs += 100 * TTL_MS;
    assertThat(second.take()).as("it may have been renewed just now").isPresent();
    nowMs += TTL_MS - 1;
    assertThat(second.take()).isPresent();
    nowMs += 1;
    assertThat(second.take()).isEmpty();
    assertThat(second.isHeld()).isTrue();
    assertThat(first.isHeld()).isFalse();
  }

  @Test
  void a_holder_that_stood_still_too_long_never_holds_it_again() {
    first.take();
    nowMs += TTL_MS;
    assertThat(first.isHeld()).isFalse();
    first.renew();
    assertThat(first.isHeld()).as("though nobody else has taken it").isFalse();
  }

  @Test
  void a_holder_that_was_overtaken_knows_it_at_its_next_renewal() {
    first.take();
    store.swap("ledger/p0", store.read("ledger/p0"), new LeaseRecord("other", 9, TTL_MS));
    first.renew();
    assertThat(first.isHeld()).isFalse();
  }

  @Test
  void a_store_that_is_away_lets_the_lease_run_out_and_not_sooner() {
    first.take();
    store.away(true);
    nowMs += TTL_MS - 1;
    assertThatThrownBy(first::renew).isInstanceOf(LakeException.class);
    assertThat(first.isHeld()).isTrue();
    nowMs += 1;
    assertThat(first.isHeld()).isFalse();
  }

  @Test
  void a_renewal_whose_reply_was_lost_does_not_count_and_the_next_one_does() {
    first.take();
    store.losesReplies(true);
    nowMs += 600;
    assertThatThrownBy(first::renew).isInstanceOf(LakeException.class);
    store.losesReplies(false);
    nowMs += 300;
    first.renew();
    nowMs += TTL_MS - 1;
    assertThat(first.isHeld()).isTrue();
    assertThat(second.take()).isPresent();
  }

  @Test
  void taking_it_with_a_lost_reply_is_made_good_by_the_next_try() {
    store.losesReplies(true);
    assertThatThrownBy(first::take).isInstanceOf(LakeException.class);
    assertThat(first.isHeld()).isFalse();
    store.losesReplies(false);
    assertThat(first.take()).isEmpty();
    assertThat(first.isHeld()).isTrue();
  }

  @Test
  void a_lease_that_was_given_up_is_free_at_once() {
    first.take();
    first.giveUp();
    assertThat(first.isHeld()).isFalse();
    assertThat(second.take()).isEmpty();
  }

  @Test
  void a_lease_that_was_given_back_is_free_at_once_and_can_be_taken_again() {
    first.take();
    first.giveBack();
    assertThat(first.isHeld()).isFalse();
    assertThat(second.take()).isEmpty();
    assertThat(holder(first)).contains("second");
    second.giveUp();
    assertThat(first.take()).isEmpty();
    assertThat(first.isHeld()).isTrue();
  }

  @Test
  void what_a_lost_reply_left_behind_is_given_up_too() {
    store.losesReplies(true);
    assertThatThrownBy(first::take).isInstanceOf(LakeException.class);
    store.losesReplies(false);
    first.giveUp();
    assertThat(second.take()).isEmpty();
  }

  @Test
  void who_waits_sees_for_how_long_the_same_writer_has_held_it() {
    first.take();
    nowMs += 500;
    first.renew();
    assertThat(second.take().map(Lease.Holder::heldMs)).contains(0L);
    for (int i = 1; i <= 20; i++) {
      nowMs += 500;
      first.renew();
      Lease.Holder other = second.take().orElseThrow();
      assertThat(other.heldMs()).isEqualTo(i * 500);
      assertThat(other.unrenewedMs()).isZero();
    }
    nowMs += 400;
    assertThat(second.take().map(Lease.Holder::unrenewedMs)).contains(400L);
  }

  @Test
  void a_lease_that_is_removed_while_it_is_taken_is_not_held() {
    LeaseStore removing =
        new LeaseStore() {
          @Override
          public Optional<LeaseRecord> read(String name) {
            return Optional.empty();
          }

          @Override
          public boolean swap(String name, Optional<LeaseRecord> expected, LeaseRecord next) {
            return false;
          }
        };
    Lease lease = new Lease(removing, "ledger/p0", "first", TTL_MS, () -> nowMs);
    assertThatThrownBy(lease::take).hasMessageContaining("removed");
    assertThat(lease.isHeld()).isFalse();
  }

  @Test
  void giving_up_late_does_not_take_it_from_the_next() {
    first.take();
    second.take();
    nowMs += TTL_MS;
    assertThat(second.take()).isEmpty();
    first.giveUp();
    assertThat(holder(lease("third"))).contains("second");
  }

  /**
   * Writers on machines whose clocks show anything, each call to the store slow at either end,
   * replies lost, and pauses of any length.
   */
  @Property(tries = 500)
  @Label("no two writers hold the lease at one moment, whatever their clocks and the store do")
  void never_two_holders(@ForAll long seed) {
    Random random = new Random(seed);
    long[] trueMs = {0};
    MemoryLeaseStore shared = new MemoryLeaseStore();
    LeaseStore slow = new SlowStore(shared, random, trueMs);
    List<Lease> writers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      long offset = random.nextInt(1_000_000);
      writers.add(new Lease(slow, "l", "w" + i, TTL_MS, () -> trueMs[0] + offset));
    }
    int held = 0;
    for (int step = 0; step < 400; step++) {
      trueMs[0] += random.nextInt(random.nextInt(10) == 0 ? 3_000 : 300);
      act(writers, random, slow, trueMs);
      List<Lease> holders = writers.stream().filter(Lease::isHeld).toList();
      assertThat(holders).hasSizeLessThanOrEqualTo(1);
      held += holders.size();
    }
    assertThat(held).isPositive();
  }

  private static void act(List<Lease> writers, Random random, LeaseStore store, long[] trueMs) {
    int i = random.nextInt(writers.size());
    Lease writer = writers.get(i);
    try {
      if (writer.isHeld()) {
        int what = random.nextInt(20);
        if (what == 0) {
          writer.giveUp();
        } else if (what == 1) {
          writer.giveBack();
        } else {
          writer.renew();
        }
      } else {
        writer.take();
      }
    } catch (IllegalStateException lostForGood) {
      long offset = random.nextInt(1_000_000);
      String owner = "w" + i + "-" + random.nextInt();
      writers.set(i, new Lease(store, "l", owner, TTL_MS, () -> trueMs[0] + offset));
    } catch (LakeException e) {
      assertThat(e.isRetriable()).isTrue();
    }
  }

  private record SlowStore(MemoryLeaseStore delegate, Random random, long[] trueMs)
      implements LeaseStore {
    private void pass() {
      trueMs[0] += random.nextInt(random.nextInt(8) == 0 ? 2_000 : 50);
    }

    @Override
    public Optional<LeaseRecord> read(String name) {
      pass();
      Optional<LeaseRecord> found = delegate.read(name);
      pass();
      return found;
    }

    @Override
    public boolean swap(String name, Optional<LeaseRecord> expected, LeaseRecord next) {
      pass();
      delegate.losesReplies(random.nextInt(6) == 0);
      try {
        return delegate.swap(name, expected, next);
      } finally {
        delegate.losesReplies(false);
        pass();
      }
    }
  }
}
