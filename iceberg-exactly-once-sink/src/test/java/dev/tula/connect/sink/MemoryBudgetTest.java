package dev.tula.connect.sink;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryBudgetTest {
  private static final long MAX_BYTES = 8_000;
  private static final long ROW_BYTES = 6_000;
  private static final long SHARED_BYTES = 4_500;
  private static final int POLL_RECORDS = 5;
  private static final int MAX_RECORD = 60;
  private static final int MAX_BATCH = 5;
  private static final int MAX_ROUNDS = 20_000;

  private long nowMs;
  private final MemoryBudget budget = new MemoryBudget(MAX_BYTES, () -> nowMs);

  private MemoryBudget.Account account(long queued, long open, long committing) {
    MemoryBudget.Account account = budget.open(() -> queued);
    account.state(committing > 0, false);
    account.holds(open, committing, 0);
    return account;
  }

  @Test
  void nobody_waits_before_what_is_shared_is_used_up() {
    MemoryBudget.Account first = account(0, SHARED_BYTES - 100, 0);
    MemoryBudget.Account second = account(99, 0, 0);

    assertThat(first.mustWait() || second.mustWait()).isFalse();
    assertThat(first.mustCut() || second.mustCut()).isFalse();
    assertThat(budget.reachedTotal()).isZero();
  }

  @Test
  void the_biggest_is_cut_early_and_others_wait() {
    MemoryBudget.Account big = account(500, 2_600, 0);
    MemoryBudget.Account small = account(0, 1_400, 0);

    assertThat(small.mustWait()).isTrue();
    assertThat(small.mustCut()).isFalse();
    assertThat(big.mustCut()).isTrue();
    assertThat(big.mustWait()).as("it has records to get through first").isTrue();
    assertThat(budget.usedBytes()).isEqualTo(SHARED_BYTES);
    assertThat(budget.reachedTotal()).isEqualTo(1);
  }

  @Test
  void one_that_is_asked_reads_on_to_the_end_of_its_batch() {
    MemoryBudget.Account inABatch = account(0, ROW_BYTES, 0);
    assertThat(inABatch.mustCut()).isTrue();
    assertThat(inABatch.mustWait()).isFalse();

    inABatch.state(false, true);

    assertThat(inABatch.mustCut()).isTrue();
    assertThat(inABatch.mustWait()).isTrue();
  }

  @Test
  void no_more_are_asked_while_half_of_it_is_being_committed() {
    MemoryBudget.Account committing = account(0, 800, 3_000);
    MemoryBudget.Account reading = account(0, 800, 0);

    assertThat(committing.mustWait()).isTrue();
    assertThat(reading.mustWait()).isTrue();
    assertThat(reading.mustCut()).isFalse();

    committing.holds(800, 0, 0);
    assertThat(reading.mustWait()).as("the commit freed enough").isFalse();
  }

  @Test
  void a_commit_that_takes_long_does_not_hold_up_the_others() {
    MemoryBudget.Account hangs = account(0, 0, ROW_BYTES);
    MemoryBudget.Account other = account(0, 0, 0);
    assertThat(other.mustWait()).as("it has a part of its own").isFalse();

    other.holds((ROW_BYTES - SHARED_BYTES) / 2, 0, 0);
    assertThat(other.mustWait()).isTrue();
    assertThat(other.mustCut()).isFalse();
    nowMs += 20_000;

    assertThat(other.mustWait()).as("it reads on to the end of its batch").isFalse();
    assertThat(other.mustCut()).isTrue();
    assertThat(hangs.mustCut()).isFalse();
  }

  @Test
  void one_that_gets_nothing_more_to_read_does_not_hold_up_the_others() {
    MemoryBudget.Account stuck = account(0, 4_000, 0);
    MemoryBudget.Account other = account(0, 2_000, 0);
    assertThat(other.mustCut()).isFalse();

    nowMs += 2_000;

    assertThat(stuck.mustWait()).isFalse();
    assertThat(other.mustWait()).isFalse();
    assertThat(other.mustCut()).isTrue();
  }

  @Test
  void it_is_not_over_until_an_eighth_is_free() {
    long eighth = SHARED_BYTES / 8;
    MemoryBudget.Account only = account(0, 2_000, SHARED_BYTES - 2_000);
    assertThat(only.mustWait()).isTrue();

    only.holds(2_000, SHARED_BYTES - 2_000 - eighth + 1, 0);
    assertThat(only.mustWait()).isTrue();

    only.holds(2_000, SHARED_BYTES - 2_000 - eighth, 0);
    assertThat(only.mustWait()).isFalse();
    assertThat(budget.reachedTotal()).isEqualTo(1);
  }

  @Test
  void a_partition_that_is_taken_away_frees_what_it_held() {
    MemoryBudget.Account left = account(0, 1_000, 0);
    try (MemoryBudget.Account taken = account(0, 2_000, 4_000)) {
      assertThat(taken.mustWait()).isTrue();
      assertThat(left.mustWait()).isTrue();
    }

    assertThat(budget.usedBytes()).isEqualTo(1_000);
    assertThat(left.mustWait()).isFalse();
  }

  @Test
  void replay_windows_share_an_eighth() {
    assertThat(budget.windowBytes()).isEqualTo(MAX_BYTES / 8);
    account(0, 0, 0);
    account(0, 0, 0);

    assertThat(budget.windowBytes()).isEqualTo(MAX_BYTES / 16);
  }

  /** A partition of batches of random sizes, as a writer and Connect treat it. */
  private static final class Partition {
    private final List<List<Integer>> batches = new ArrayList<>();
    private final MemoryBudget.Account account;
    private int polledBatch;
    private int polledRecord;
    private long queued;
    private final List<int[]> queue = new ArrayList<>();
    private long open;
    private long committing;
    private int cutThrough = -1;
    private int openThrough = -1;
    private int committed = -1;
    private boolean midBatch;

    Partition(MemoryBudget budget, Random random, int count) {
      for (int i = 0; i < count; i++) {
        List<Integer> records = new ArrayList<>();
        for (int left = 1 + random.nextInt(MAX_BATCH); left > 0; left--) {
          records.add(1 + random.nextInt(MAX_RECORD));
        }
        batches.add(records);
      }
      this.account = budget.open(() -> queued);
    }

    void poll() {
      long got = 0;
      for (int i = 0; i < POLL_RECORDS && polledBatch < batches.size(); i++) {
        int size = batches.get(polledBatch).get(polledRecord);
        polledRecord++;
        boolean last = polledRecord == batches.get(polledBatch).size();
        queue.add(new int[] {polledBatch, size, last ? 1 : 0});
        got += size;
        if (last) {
          polledBatch++;
          polledRecord = 0;
        }
      }
      queued += got;
    }

    void turn(boolean catalogUp) {
      if (catalogUp && committing > 0) {
        committing = 0;
        committed = cutThrough;
      }
      while (!queue.isEmpty() && !(account.mustCut() && !midBatch && open > 0)) {
        int[] next = queue.remove(0);
        queued -= next[1];
        open += next[1];
        midBatch = next[2] == 0;
        openThrough = midBatch ? openThrough : next[0];
      }
      boolean ended = polledBatch == batches.size() && queue.isEmpty();
      if (committing == 0 && open > 0 && !midBatch && (account.mustCut() || ended)) {
        committing = open;
        cutThrough = openThrough;
        open = 0;
      }
      account.state(committing > 0, open > 0 && !midBatch);
      account.holds(open, committing, 0);
    }

    boolean done() {
      return committed == batches.size() - 1;
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void everything_is_committed_within_the_budget_once_the_catalog_is_back(long seed) {
    Random random = new Random(seed);
    List<Partition> partitions = new ArrayList<>();
    for (int i = 0; i < 1 + random.nextInt(6); i++) {
      partitions.add(new Partition(budget, random, 200 + random.nextInt(200)));
    }
    partitions.forEach(partition -> partition.turn(true));
    long beyond = (long) partitions.size() * (MAX_BATCH + POLL_RECORDS) * MAX_RECORD;
    int downFrom = random.nextInt(20);
    int upAgain = downFrom + 200;
    int round = 0;
    while (!partitions.stream().allMatch(Partition::done)) {
      assertThat(round++).as("rounds").isLessThan(MAX_ROUNDS);
      nowMs += 100;
      boolean up = round < downFrom || round >= upAgain;
      Partition polled = partitions.get(random.nextInt(partitions.size()));
      if (!polled.account.mustWait()) {
        polled.poll();
      }
      for (Partition partition : partitions) {
        if (random.nextBoolean()) {
          partition.turn(up && random.nextBoolean());
        }
      }
      assertThat(budget.usedBytes()).isLessThanOrEqualTo(ROW_BYTES + beyond);
    }
    assertThat(budget.reachedTotal()).isPositive();
    assertThat(budget.usedBytes()).isZero();
  }
}
