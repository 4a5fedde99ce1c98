package dev.tula.connect.refnode.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.wire.ErrorCode;
import dev.tula.connect.model.wire.Message.Fetch;
import dev.tula.connect.model.wire.Message.FetchOptions;
import dev.tula.connect.refnode.cluster.LeaseTable.Grant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class LeaseTableTest {
  private static final long TTL_MS = 1000;
  private static final long TERM = 5;
  private static final FetchOptions LEASE = new FetchOptions(false, false, true, false, false);
  private static final FetchOptions GROUP = new FetchOptions(false, false, true, true, false);
  private static final FetchOptions GROUP_METADATA =
      new FetchOptions(true, false, true, true, false);
  private static final FetchOptions NOTHING = new FetchOptions(false, false, false, false, false);

  private long nowNanos = -3_000_000_000L;
  private LeaseTable table = table(ExportSettings.DEFAULT.withLeaseTtlMs(TTL_MS));

  private LeaseTable table(ExportSettings settings) {
    return new LeaseTable(settings, () -> nowNanos);
  }

  private static Fetch fetch(String pipeline, int partition, int count, FetchOptions options) {
    return new Fetch(
        pipeline, 1, partition, count, Position.batchEnd(4), Optional.empty(), 1, 1, 0, options);
  }

  private Grant take(String owner, Fetch fetch) {
    return table.noteFetch(fetch, new LeaseTable.Session(owner, 0, TERM, true), false);
  }

  private void passMs(long ms) {
    nowNanos += TimeUnit.MILLISECONDS.toNanos(ms);
  }

  private static void assertConflict(int subCode, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            QueryPortException.class,
            e -> {
              assertThat(e.reply().code()).isEqualTo(ErrorCode.ERR_EXPORT_GROUP_CONFLICT);
              assertThat(e.reply().subCode()).isEqualTo(subCode);
            });
  }

  @Test
  void another_owner_is_refused_until_the_time_to_live_is_over() {
    assertThat(take("first", fetch("p", 0, 1, LEASE))).isEqualTo(Grant.HELD);
    passMs(TTL_MS - 1);
    assertConflict(ErrorCode.GROUP_INDEX_TAKEN, () -> take("second", fetch("p", 0, 1, LEASE)));
    passMs(1);
    assertThat(take("second", fetch("p", 0, 1, LEASE))).isEqualTo(Grant.HELD);
  }

  @Test
  void the_same_name_takes_its_own_lease_over_and_renews_it() {
    take("first", fetch("p", 0, 1, LEASE));
    for (int i = 0; i < 5; i++) {
      passMs(TTL_MS - 1);
      assertThat(take("first", fetch("p", 0, 1, LEASE))).isEqualTo(Grant.HELD);
    }
    assertThat(table.statuses(TERM)).hasSize(1);
  }

  @Test
  void another_partition_count_is_refused() {
    take("a", fetch("p", 0, 4, GROUP));
    assertConflict(ErrorCode.GROUP_COUNT_DIFFERS, () -> take("b", fetch("p", 0, 2, GROUP)));
    assertConflict(ErrorCode.GROUP_COUNT_DIFFERS, () -> take("b", fetch("p", 0, 1, LEASE)));
    assertThat(take("b", fetch("q", 0, 2, GROUP))).isEqualTo(Grant.HELD);
  }

  @Test
  void members_that_read_something_else_are_refused() {
    take("a", fetch("p", 0, 2, GROUP));
    assertConflict(
        ErrorCode.GROUP_OPTION_MISMATCH, () -> take("b", fetch("p", 1, 2, GROUP_METADATA)));
    assertThat(take("a", fetch("p", 0, 2, GROUP_METADATA)))
        .as("a member alone may change its mind")
        .isEqualTo(Grant.HELD);
  }

  @Test
  void a_full_table_is_a_flag_for_a_lone_reader_and_a_conflict_for_a_group() {
    table = table(ExportSettings.DEFAULT.withLeaseTtlMs(TTL_MS).withLeaseTableSize(1));
    take("a", fetch("p", 0, 1, LEASE));
    assertThat(take("b", fetch("q", 0, 1, LEASE))).isEqualTo(Grant.NONE);
    assertConflict(ErrorCode.GROUP_LEASE_TABLE_FULL, () -> take("c", fetch("r", 0, 2, GROUP)));
    assertThat(take("a", fetch("p", 0, 1, LEASE))).isEqualTo(Grant.HELD);
    passMs(TTL_MS);
    assertThat(take("b", fetch("q", 0, 1, LEASE))).isEqualTo(Grant.HELD);
  }

  @Test
  void with_leases_off_nothing_is_held_and_there_is_no_group() {
    table = table(ExportSettings.DEFAULT.withLeaseTtlMs(0));
    assertThat(take("a", fetch("p", 0, 2, GROUP))).isEqualTo(Grant.NONE);
    assertThat(table.group(fetch("p", 0, 2, GROUP), TERM).count()).isZero();
    assertThat(table.lowestHold(10)).isEmpty();
  }

  private Position ack(int partition, int count, long gbs, long term) {
    return table.ack(new ReaderKey("p", 1, partition, count), Position.batchEnd(gbs), term);
  }

  @Test
  void a_lone_reader_is_credited_with_its_highest_ack_of_the_term() {
    take("a", fetch("p", 0, 1, NOTHING));
    assertThat(ack(0, 1, 7, TERM)).isEqualTo(Position.batchEnd(7));
    assertThat(ack(0, 1, 5, TERM)).isEqualTo(Position.batchEnd(7));
    assertThat(table.credit(new ReaderKey("p", 1, 0, 1), TERM + 1)).isEqualTo(Position.ORIGIN);
  }

  @Test
  void an_ack_earns_nothing_until_the_leader_is_read_in_the_same_term() {
    assertThat(ack(0, 1, 7, TERM)).isEqualTo(Position.ORIGIN);
    take("a", fetch("p", 0, 1, NOTHING));
    assertThat(table.credit(new ReaderKey("p", 1, 0, 1), TERM)).isEqualTo(Position.batchEnd(7));
  }

  @Test
  void a_follower_read_earns_nothing() {
    table.noteFetch(fetch("p", 0, 1, NOTHING), new LeaseTable.Session("a", 1, 0, false), false);
    assertThat(ack(0, 1, 7, TERM)).isEqualTo(Position.ORIGIN);
  }

  @Test
  void a_group_is_credited_with_the_lowest_ack_and_only_while_all_are_there() {
    take("a", fetch("p", 0, 2, GROUP));
    assertThat(ack(0, 2, 9, TERM)).isEqualTo(Position.ORIGIN);
    assertThat(table.group(fetch("p", 0, 2, GROUP), TERM).membersPresent()).isEqualTo(1);

    take("b", fetch("p", 1, 2, GROUP));
    assertThat(ack(1, 2, 6, TERM)).isEqualTo(Position.batchEnd(6));
    assertThat(table.group(fetch("p", 0, 2, GROUP), TERM).minAck()).isEqualTo(Position.batchEnd(6));
    assertThat(table.lowestCredit(TERM)).contains(Position.batchEnd(6));

    passMs(TTL_MS / 2);
    take("a", fetch("p", 0, 2, GROUP));
    passMs(TTL_MS / 2);
    assertThat(ack(0, 2, 12, TERM)).as("b is gone").isEqualTo(Position.ORIGIN);
  }

  @Test
  void a_part_of_a_pipeline_without_a_group_earns_nothing() {
    take("a", fetch("p", 0, 2, LEASE));
    take("b", fetch("p", 1, 2, LEASE));
    ack(0, 2, 9, TERM);
    assertThat(ack(1, 2, 9, TERM)).isEqualTo(Position.ORIGIN);
  }

  @Test
  void an_ack_with_another_n_has_no_part_in_a_group_s_credit() {
    for (int partition = 0; partition < 4; partition++) {
      take("member-" + partition, fetch("p", partition, 4, GROUP));
      ack(partition, 4, 9, TERM);
    }
    take("stranger", fetch("p", 0, 2, NOTHING));
    assertThat(ack(0, 2, 9, TERM)).isEqualTo(Position.ORIGIN);
    assertThat(ack(3, 4, 9, TERM)).isEqualTo(Position.batchEnd(9));
  }

  @Test
  void the_lowest_hold_counts_until_it_is_too_far_behind() {
    table = table(ExportSettings.DEFAULT.withLeaseTtlMs(TTL_MS).withLeaseMaxHoldBatches(10));
    take("a", fetch("p", 0, 1, LEASE));
    assertThat(table.lowestHold(14)).contains(Position.batchEnd(4));
    assertThat(table.lowestHold(15)).isEmpty();
    assertThat(table.isReleased(Position.batchEnd(4), 15)).isTrue();
  }

  @Test
  void a_restart_takes_what_was_in_memory_alone() {
    table.noteFetch(fetch("p", 0, 1, LEASE), new LeaseTable.Session("a", 0, TERM, true), false);
    table.noteFetch(fetch("q", 0, 1, LEASE), new LeaseTable.Session("a", 0, TERM, false), false);
    table.noteFetch(fetch("r", 0, 1, LEASE), new LeaseTable.Session("a", 1, TERM, false), false);
    table.dropVolatileLeasesOf(0);
    assertThat(table.statuses(TERM)).extracting("pipeline").containsExactly("p", "r");
    assertThat(table.durableLeases()).hasSize(1);
  }

  @Test
  void readers_that_hold_nothing_do_not_pile_up() {
    take("a", fetch("held", 0, 1, LEASE));
    for (int i = 0; i < 10_000; i++) {
      take("a", fetch("p" + i, 0, 1, NOTHING));
    }
    assertThat(table.statuses(TERM)).extracting("pipeline").containsExactly("held");
    assertThat(table.readerCount()).isLessThanOrEqualTo(2048);
  }
}
