package dev.tula.connect.source;

import static dev.tula.connect.source.SmallWorker.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.wire.ErrorCode;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.queryport.ErrorReplyException;
import dev.tula.connect.queryport.NodeAddress;
import dev.tula.connect.refnode.cluster.AckEvent;
import dev.tula.connect.refnode.cluster.ExportSettings;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.MockAdminClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What becomes of leases, group credit, acks and retention when a connector runs, is paused,
 * stopped, rebalanced or deleted, when a task fails, and when a worker is killed: the table in
 * docs/recover.md, row by row, with two partitions in two tasks.
 */
@Timeout(300)
class LeaseInEachStateTest {
  private final MockAdminClient admin = MockAdminClient.create().numBrokers(1).build();
  private final SmallWorker worker = new SmallWorker(admin);
  private final LeasedLedger ledger = new LeasedLedger(ExportSettings.DEFAULT);
  private final Map<String, String> connector = ledger.connector(2);

  @BeforeEach
  void start() {
    connector.put(SourceConfig.QUEUE_MAX_BYTES, Integer.toString(1 << 20));
    connector.put(SourceConfig.PAGE_MAX_RECORDS, "100");
    worker.start(connector, 2);
    await(() -> ledger.leased().equals(List.of(0, 1)));
    publish(0, 6);
    publish(1, 5);
    ledger.awaitAck(0, 6);
    ledger.awaitAck(1, 5);
    await(() -> ledger.purged().equals(end(5)));
  }

  @AfterEach
  void stop() {
    worker.close();
    ledger.close();
  }

  @Test
  void running_it_keeps_its_leases_and_acks_each_checkpoint() {
    ledger.outliveLeases(2);
    assertCredits(9, 8);
  }

  @Test
  void paused_it_keeps_its_leases_and_goes_on_acking_however_long_the_queue_is_full() {
    worker.pause();
    ledger.cluster.advance(8_000);
    long head = ledger.cluster.head().globalBatchSeq();
    for (int pass = 0; pass < 2; pass++) {
      ledger.outliveLeases(2);
      assertThat(ledger.leased()).containsExactly(0, 1);
    }
    assertThat((long) worker.attribute(0, "FetchedGlobalBatchSeq"))
        .as("the queue is full, and leases are renewed all the same")
        .isLessThan(head);
    assertCredits(9, 8);
    worker.resume();
    await(() -> (long) worker.attribute(0, "FetchedGlobalBatchSeq") == head);
  }

  @Test
  void stopped_it_lets_its_leases_run_out_and_what_was_credited_holds_for_the_term_alone() {
    worker.stop();
    publish(0, 9);
    publish(1, 8);
    ledger.passHalfALease(0);
    assertThat(ledger.leased()).as("held until they run out").containsExactly(0, 1);
    ledger.outliveLeases(0);
    assertThat(ledger.leased()).isEmpty();
    assertThat(ledger.acks()).allMatch(ack -> ack.through().globalBatchSeq() <= 6);
    try (SmallWorker other = new SmallWorker(admin)) {
      Map<String, String> another = another();
      other.start(another, 1);
      other.checkpoints.checkpoint(new SourceConfig(another).identity(0), 12);
      ledger.awaitAck(ack -> ack.pipeline().equals("other"));
      assertThat(ledger.purged()).as("a group without members has no credit").isEqualTo(end(5));
      ledger.cluster.faults().changeLeader();
      ledger.awaitAck(ack -> ack.pipeline().equals("other") && ack.term() == 2);
      // The new leader does not know of a pipeline that neither reads nor acks.
      await(() -> ledger.purged().equals(end(12)));
    }
  }

  @Test
  void started_again_after_a_stop_it_acks_anew_and_has_its_credit_back() {
    worker.stop();
    ledger.outliveLeases(0);
    publish(0, 9);
    publish(1, 8);
    assertThat(ledger.purged()).isEqualTo(end(5));
    worker.start(connector, 1);
    ledger.awaitAck(0, 9);
    ledger.awaitAck(1, 8);
    await(() -> ledger.purged().equals(end(8)));
  }

  @Test
  void rebalanced_a_task_takes_its_lease_over_and_the_group_is_never_incomplete() {
    worker.stopTask(1);
    ledger.passHalfALease(1);
    assertThat(ledger.leased()).containsExactly(0, 1);
    publish(0, 9);
    assertThat(ledger.awaitAck(0, 9).credited()).as("its last ack stands").isEqualTo(end(5));
    worker.startTask(1);
    ledger.awaitRenewed(2);
    ledger.outliveLeases(2);
    publish(1, 8);
    assertThat(ledger.awaitAck(1, 8).credited()).isEqualTo(end(8));
    assertThat(ledger.acks().stream().skip(2))
        .extracting(AckEvent::credited)
        .doesNotContain(Position.ORIGIN);
    await(() -> ledger.purged().equals(end(8)));
  }

  @Test
  void a_failed_task_s_lease_runs_out_and_the_whole_group_has_no_credit_until_it_is_restarted() {
    NodeAddress node = NodeAddress.parse(ledger.cluster.leaderAddress());
    worker.fail(
        1,
        new ErrorReplyException(
            node, Message.ErrorReply.of(ErrorCode.ERR_BAD_REQUEST, 0, "made on purpose")));
    assertThat(worker.awaitFailure(1)).hasMessageContaining("made on purpose");
    ledger.outliveLeases(1);
    assertThat(ledger.leased()).containsExactly(0);
    assertNoCreditUntilTaskOneIsBack();
  }

  @Test
  void a_killed_worker_s_leases_run_out_and_the_whole_group_has_no_credit_until_it_is_replaced() {
    worker.kill(1);
    ledger.passHalfALease(1);
    assertThat(ledger.leased()).as("nobody gave it up").containsExactly(0, 1);
    ledger.outliveLeases(1);
    assertThat(ledger.leased()).containsExactly(0);
    assertNoCreditUntilTaskOneIsBack();
  }

  private void assertNoCreditUntilTaskOneIsBack() {
    publish(1, 8);
    publish(0, 9);
    assertThat(ledger.awaitAck(0, 9).credited()).isEqualTo(Position.ORIGIN);
    await(() -> worker.attribute(0, "PartitionGroupStatus").equals(2));
    assertThat(ledger.purged()).as("history stands still").isEqualTo(end(5));
    worker.stopTask(1);
    worker.startTask(1);
    ledger.awaitAck(1, 8);
    await(() -> ledger.purged().equals(end(8)));
  }

  @Test
  void deleted_its_leases_run_out_and_a_connector_of_another_name_has_them_then() {
    worker.stop();
    connector.put(SourceConfig.NAME, "renamed");
    worker.start(connector, 2);
    await(() -> (long) worker.attribute(0, "PartitionGroupConflictsTotal") > 0);
    assertThat(ledger.leases()).extracting(Message.LeaseStatus::owner).noneMatch(this::isRenamed);
    while (!ledger.leases().stream().allMatch(lease -> isRenamed(lease.owner()))) {
      ledger.passHalfALease(0);
    }
    await(() -> ledger.leased().equals(List.of(0, 1)));
    assertCredits(9, 8);
  }

  private boolean isRenamed(String owner) {
    return owner.startsWith("renamed-");
  }

  private Map<String, String> another() {
    Map<String, String> another = ledger.connector(1);
    another.put(SourceConfig.NAME, "another");
    another.put(SourceConfig.PIPELINE, "other");
    another.put(SourceConfig.TOPIC, "other");
    another.put(SourceConfig.START_POSITION, SourceConfig.FLOOR);
    return another;
  }

  private void assertCredits(long first, long second) {
    publish(0, first);
    ledger.awaitAck(0, first);
    publish(1, second);
    ledger.awaitAck(1, second);
    Position lowest = end(Math.min(first, second));
    await(() -> ledger.purged().equals(lowest));
    assertThat(ledger.acks()).noneMatch(ack -> ack.credited().isAfter(lowest));
  }

  private void publish(int partition, long batch) {
    worker.checkpoints.checkpoint(new SourceConfig(connector).identity(partition), batch);
  }

  private static Position end(long batch) {
    return Position.batchEnd(batch);
  }
}
