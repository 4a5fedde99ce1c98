package dev.tula.connect.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.event.CheckpointEvent;
import dev.tula.connect.model.event.ClearEvent;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.queryport.FakeEngine;
import dev.tula.connect.queryport.Leadership;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PartitionAcksTest {
  private static final EventIdentity OWN = new EventIdentity("p", "c", 1, 0, 2);
  private static final Leadership A1 = new Leadership(FakeEngine.A, 1, Message.Role.LEADER);
  private static final Leadership A2 = new Leadership(FakeEngine.A, 2, Message.Role.LEADER);
  private static final Leadership B2 = new Leadership(FakeEngine.B, 2, Message.Role.LEADER);

  private final PartitionAcks acks = new PartitionAcks(OWN);

  @Test
  @DisplayName("I4: without a checkpoint nothing is acked")
  void nothing_is_due_before_the_first_checkpoint() {
    assertThat(acks.due(A1)).isEmpty();
  }

  @Test
  @DisplayName("C20: the maximum counts, whichever claim it is of and in whichever order it comes")
  void an_old_writer_s_late_checkpoint_changes_nothing() {
    assertThat(acks.observe(checkpoint(OWN, 2, 9))).isTrue();
    assertThat(acks.observe(checkpoint(OWN, 1, 5))).isFalse();
    assertThat(acks.observe(checkpoint(OWN, 3, 9))).isFalse();
    assertThat(acks.due(A1)).contains(Position.batchEnd(9));
  }

  @ParameterizedTest
  @CsvSource({"q, c, 1, 0, 2", "p, d, 1, 0, 2", "p, c, 2, 0, 2", "p, c, 1, 1, 2", "p, c, 1, 0, 3"})
  @DisplayName(
      "C20: another pipeline's, cluster's, generation's, partition's or N's does not count")
  void somebody_else_s_checkpoint_is_not_ours(
      String pipeline, String cluster, int generation, int partition, int count) {
    EventIdentity other = new EventIdentity(pipeline, cluster, generation, partition, count);
    assertThat(acks.observe(checkpoint(other, 9, 99))).isFalse();
    assertThat(acks.due(A1)).isEmpty();
  }

  @Test
  void a_leader_is_told_once_and_a_new_term_or_leader_again() {
    acks.observe(checkpoint(OWN, 1, 5));
    acks.acked(A1, acks.due(A1).orElseThrow());
    assertThat(acks.due(A1)).isEmpty();
    assertThat(acks.due(A2)).as("a new term has no credit").contains(Position.batchEnd(5));
    acks.acked(A2, Position.batchEnd(5));
    assertThat(acks.due(B2)).contains(Position.batchEnd(5));
  }

  @Test
  void a_checkpoint_that_came_while_an_ack_was_under_way_is_still_due() {
    acks.observe(checkpoint(OWN, 1, 5));
    Position under = acks.due(A1).orElseThrow();
    acks.observe(checkpoint(OWN, 1, 6));
    acks.acked(A1, under);
    assertThat(acks.due(A1)).contains(Position.batchEnd(6));
  }

  @Test
  @DisplayName(
      "C8, I4: after an accepted rewind nothing is acked until the old checkpoint is passed")
  void nothing_is_acked_again_until_the_lake_has_what_it_had() {
    acks.observe(checkpoint(OWN, 1, 9));
    acks.acked(A1, acks.due(A1).orElseThrow());
    acks.observe(rewind(OWN, 4));
    assertThat(acks.due(A2)).as("the lake no longer has it").isEmpty();
    assertThat(acks.observe(checkpoint(OWN, 2, 4))).as("a new maximum").isTrue();
    acks.observe(checkpoint(OWN, 2, 8));
    assertThat(acks.due(A2)).isEmpty();
    acks.observe(checkpoint(OWN, 2, 9));
    assertThat(acks.due(A2)).contains(Position.batchEnd(9));
  }

  @Test
  @DisplayName("C8: a second rewind does not forget the first")
  void the_highest_that_was_ever_published_is_what_must_be_passed() {
    acks.observe(checkpoint(OWN, 1, 9));
    acks.observe(rewind(OWN, 4));
    acks.observe(checkpoint(OWN, 2, 6));
    acks.observe(rewind(OWN, 5));
    acks.observe(checkpoint(OWN, 3, 7));
    assertThat(acks.due(A1)).isEmpty();
    acks.observe(checkpoint(OWN, 3, 10));
    assertThat(acks.due(A1)).contains(Position.batchEnd(10));
  }

  @Test
  void a_halt_that_was_lifted_without_a_rewind_or_elsewhere_changes_nothing() {
    acks.observe(checkpoint(OWN, 1, 9));
    acks.observe(new ClearEvent(OWN, "h", Optional.empty(), "somebody", Instant.EPOCH));
    acks.observe(rewind(new EventIdentity("q", "c", 1, 0, 2), 4));
    assertThat(acks.due(A1)).contains(Position.batchEnd(9));
  }

  @Property
  @Label("I4: an ack is never above the highest checkpoint, and rises with it")
  void an_ack_is_exactly_the_highest_checkpoint(
      @ForAll @Size(max = 30) List<@IntRange(min = 1, max = 50) Integer> batches) {
    PartitionAcks fresh = new PartitionAcks(OWN);
    int highest = 0;
    for (int batch : batches) {
      fresh.observe(checkpoint(OWN, batch % 3, batch));
      highest = Math.max(highest, batch);
      assertThat(fresh.due(A1)).isEqualTo(Optional.of(Position.batchEnd(highest)));
    }
  }

  static ClearEvent rewind(EventIdentity identity, long batch) {
    return new ClearEvent(
        identity, "h" + batch, Optional.of(Position.batchEnd(batch)), "somebody", Instant.EPOCH);
  }

  static CheckpointEvent checkpoint(EventIdentity identity, long claim, long batch) {
    return new CheckpointEvent(
        identity,
        1,
        claim,
        "w",
        Position.ORIGIN,
        Position.batchEnd(batch),
        0,
        "data",
        identity.partition(),
        0,
        Instant.EPOCH);
  }
}
