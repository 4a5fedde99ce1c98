package dev.tula.connect.source;

import static dev.tula.connect.queryport.FakeEngine.A;
import static dev.tula.connect.queryport.FakeEngine.B;
import static dev.tula.connect.queryport.FakeEngine.error;
import static dev.tula.connect.queryport.FakeEngine.lost;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.model.event.CheckpointEvent;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.wire.ErrorCode;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.queryport.ExportFailure;
import dev.tula.connect.queryport.FakeEngine;
import dev.tula.connect.queryport.Leadership;
import dev.tula.connect.queryport.ManualClock;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Single steps of the ack thread, against a fake engine and a fake topic. */
class AckLoopTest {
  private final FakeEngine engine = new FakeEngine().commitBatches(20, 1);
  private final ManualClock clock = new ManualClock();
  private final SourceConfig config = new SourceConfig(Configs.ofTask(1, "0"));
  private final StreamIdentity identity = config.identity(0);
  private final PartitionMetrics metrics = new PartitionMetrics(config, () -> 0, clock);
  private final FakeTail tail = new FakeTail();
  private final TaskFailure failure = new TaskFailure(new PageQueue(1, 1));
  private Optional<Leadership> leadership = Optional.of(new Leadership(A, 1, Message.Role.LEADER));
  private AckLoop loop;

  @BeforeEach
  void open() {
    loop =
        new AckLoop(
            () -> tail,
            Map.of(0, new AckSender(config, identity, () -> leadership, engine, clock, metrics)),
            Map.of(0, metrics),
            config.queryPort().retryPolicy(),
            clock,
            failure);
  }

  @Test
  @DisplayName("I4: what is acked is the highest checkpoint, once")
  void a_checkpoint_is_acked_to_the_leader_that_is_read_from() throws Exception {
    tail.checkpoint(3).checkpoint(5).checkpoint(4);
    steps(3);
    assertThat(engine.acks())
        .containsExactly(new Message.Ack("p", 1, 0, 1, Position.batchEnd(5), 1));
    assertThat(engine.clientNames()).containsOnly("source-0");
    assertThat(metrics.getAckedGlobalBatchSeq()).isEqualTo(5);
    assertThat(metrics.getCheckpointGlobalBatchSeq()).isEqualTo(5);
    assertThat(metrics.getCreditedGlobalBatchSeq()).isEqualTo(5);
  }

  @Test
  @DisplayName("C8: nothing is acked before it is known what followed the checkpoint")
  void a_checkpoint_that_may_have_been_taken_back_is_not_acked() throws Exception {
    tail.behind = true;
    tail.checkpoint(5);
    steps(3);
    assertThat(engine.acks()).isEmpty();
    tail.rewind(4).checkpoint(4);
    tail.behind = false;
    steps(3);
    assertThat(engine.acks()).isEmpty();
    tail.checkpoint(6);
    steps(1);
    assertThat(engine.acks())
        .extracting(Message.Ack::through)
        .containsExactly(Position.batchEnd(6));
  }

  @Test
  void after_a_leader_change_it_acks_again() throws Exception {
    tail.checkpoint(5);
    steps(1);
    engine.elect(B, true);
    leadership = Optional.of(new Leadership(B, 2, Message.Role.LEADER));
    steps(2);
    assertThat(engine.acks()).extracting(Message.Ack::term).containsExactly(1L, 2L);
    assertThat(engine.ackedNodes()).containsExactly(A, B);
    assertThat(engine.openConnections()).isEqualTo(1);
  }

  @Test
  void a_stale_term_is_acked_anew_once_the_reader_knows_the_new_one() throws Exception {
    tail.checkpoint(5);
    engine.elect(A, true);
    steps(1);
    assertThat(engine.acks()).isEmpty();
    assertThat(metrics.getAckErrorsTotal()).isEqualTo(1);
    leadership = Optional.of(new Leadership(A, 2, Message.Role.LEADER));
    clock.advance(60_000);
    steps(1);
    assertThat(engine.acks()).extracting(Message.Ack::term).containsExactly(2L);
  }

  @Test
  void a_follower_is_never_acked() throws Exception {
    leadership = Optional.of(new Leadership(B, 1, Message.Role.FOLLOWER));
    tail.checkpoint(5);
    steps(3);
    leadership = Optional.empty();
    steps(3);
    assertThat(engine.acks()).isEmpty();
    assertThat(engine.opens()).isEmpty();
  }

  @Test
  void a_failed_ack_is_repeated_later_and_holds_nobody_up() throws Exception {
    tail.checkpoint(5);
    engine.failAck(lost(), lost());
    steps(1);
    steps(1);
    assertThat(engine.opens()).as("not before its time").hasSize(1);
    assertThat(clock.sleeps()).as("the thread itself does not wait").isEmpty();
    clock.advance(60_000);
    steps(1);
    clock.advance(60_000);
    steps(1);
    assertThat(engine.acks()).hasSize(1);
  }

  @Test
  void an_ack_that_fails_for_too_long_fails_the_task() throws Exception {
    tail.checkpoint(5);
    FakeEngine.Fault[] faults = new FakeEngine.Fault[10];
    Arrays.fill(faults, lost());
    engine.failAck(faults);
    steps(1);
    clock.advance(299_999);
    steps(1);
    clock.advance(60_000);
    assertThatExceptionOfType(ExportFailure.class)
        .isThrownBy(() -> steps(1))
        .withMessageContaining("could not ack for")
        .withMessageContaining("lost the connection");
  }

  @Test
  void an_ack_beyond_the_ledger_s_end_is_86() {
    tail.checkpoint(5);
    engine.failAck(error(ErrorCode.ERR_POSITION_AHEAD, 0));
    assertThatExceptionOfType(ExportFailure.class)
        .isThrownBy(() -> steps(1))
        .withMessageStartingWith("TULA-86 ");
  }

  @Test
  void without_a_checkpoints_topic_it_waits_with_a_metric() throws Exception {
    tail.missing = true;
    steps(3);
    assertThat(metrics.getCheckpointsTopicMissing()).isEqualTo(1);
    assertThat(engine.acks()).isEmpty();
    tail.missing = false;
    tail.checkpoint(5);
    steps(1);
    assertThat(metrics.getCheckpointsTopicMissing()).isZero();
    assertThat(engine.acks()).hasSize(1);
  }

  @Test
  void what_is_no_event_is_counted_and_acks_nothing() throws Exception {
    tail.malformed();
    steps(1);
    assertThat(metrics.getMalformedCheckpointsTotal()).isEqualTo(1);
    assertThat(engine.acks()).isEmpty();
  }

  @Test
  void brokers_that_are_away_are_waited_for_within_the_limit() throws Exception {
    tail.fail(new TimeoutException("away"));
    tail.checkpoint(5);
    steps(2);
    assertThat(engine.acks()).hasSize(1);
    assertThat(clock.sleeps()).hasSize(1);
    for (int i = 0; i < 500; i++) {
      tail.fail(new TimeoutException("away"));
    }
    assertThatExceptionOfType(ExportFailure.class)
        .isThrownBy(() -> steps(500))
        .withMessageContaining("could not be read for");
  }

  @Test
  void a_missing_permission_fails_at_once() {
    tail.fail(new TopicAuthorizationException("p.checkpoints"));
    assertThatExceptionOfType(ExportFailure.class)
        .isThrownBy(() -> steps(1))
        .withMessageContaining("p.checkpoints")
        .withMessageContaining("ACLs");
  }

  private void steps(int count) throws InterruptedException {
    for (int i = 0; i < count; i++) {
      loop.step(tail);
    }
  }

  private final class FakeTail implements CheckpointTail {
    private final Deque<Consumer<Sink>> events = new ArrayDeque<>();
    private final Deque<KafkaException> failures = new ArrayDeque<>();
    private boolean missing;
    private boolean behind;

    FakeTail checkpoint(long batch) {
      CheckpointEvent event = PartitionAcksTest.checkpoint(EventIdentity.of(identity), 1, batch);
      events.add(sink -> sink.onCheckpoint(0, event));
      return this;
    }

    FakeTail rewind(long batch) {
      events.add(
          sink -> sink.onClear(0, PartitionAcksTest.rewind(EventIdentity.of(identity), batch)));
      return this;
    }

    void malformed() {
      events.add(sink -> sink.onMalformed(0, 7, new IllegalStateException("no event")));
    }

    void fail(KafkaException error) {
      failures.add(error);
    }

    @Override
    public Reach poll(long waitMs, Sink sink) {
      if (!failures.isEmpty()) {
        throw failures.poll();
      }
      while (!missing && !events.isEmpty()) {
        events.poll().accept(sink);
      }
      return missing ? Reach.NO_TOPIC : behind ? Reach.BEHIND : Reach.THROUGH;
    }

    @Override
    public void close() {}
  }
}
