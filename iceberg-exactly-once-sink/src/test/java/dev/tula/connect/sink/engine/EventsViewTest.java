package dev.tula.connect.sink.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.event.CheckpointEvent;
import dev.tula.connect.model.event.ClearEvent;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.event.HaltEvent;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.model.event.TableEvent;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the event topics say of a partition (C3, C4, C8, C20, C25). */
class EventsViewTest {
  private static final EventIdentity OWN = new EventIdentity("p", "c", 2, 1, 4);

  private static EventsView of(LakeEvent... events) {
    return EventsView.of(OWN, List.of(events));
  }

  private static CheckpointEvent checkpoint(EventIdentity identity, long epoch, long to) {
    return new CheckpointEvent(
        identity,
        epoch,
        1,
        "w",
        Position.ORIGIN,
        Position.batchEnd(to),
        0,
        "t",
        1,
        1,
        Instant.EPOCH);
  }

  private static TableEvent table(EventIdentity identity, long epoch) {
    return new TableEvent(
        identity,
        "transactions",
        "u",
        Position.ORIGIN,
        Position.batchEnd(1),
        "d",
        "c",
        1,
        Optional.empty(),
        1,
        1,
        epoch,
        1);
  }

  private static HaltEvent halt(EventIdentity identity, String id) {
    return new HaltEvent(identity, id, "gap", "why " + id, "w", 1, 1, Instant.EPOCH);
  }

  private static ClearEvent clear(String id, Optional<Position> rewind) {
    return new ClearEvent(OWN, id, rewind, "somebody", Instant.EPOCH);
  }

  @Test
  @DisplayName("C20: the newest checkpoint is the highest, in whatever order they stand")
  void the_newest_checkpoint_is_the_highest() {
    EventsView view = of(checkpoint(OWN, 1, 5), checkpoint(OWN, 3, 9), checkpoint(OWN, 2, 7));

    assertThat(view.newestCheckpoint().orElseThrow().to()).isEqualTo(Position.batchEnd(9));
    assertThat(view.highestEpoch()).isEqualTo(3);
    assertThat(view.anyTrace()).isTrue();
  }

  @Test
  @DisplayName(
      "C20: events of another pipeline, cluster, generation, partition or N are passed over")
  void events_of_others_are_passed_over() {
    for (EventIdentity other :
        List.of(
            new EventIdentity("x", "c", 2, 1, 4),
            new EventIdentity("p", "x", 2, 1, 4),
            new EventIdentity("p", "c", 1, 1, 4),
            new EventIdentity("p", "c", 2, 0, 4),
            new EventIdentity("p", "c", 2, 1, 5))) {
      assertThat(of(checkpoint(other, 9, 9), table(other, 9), halt(other, "h")))
          .isEqualTo(EventsView.EMPTY);
    }
  }

  @Test
  @DisplayName("C3, C4: a table event alone is a trace, and raises the epoch")
  void a_table_event_is_a_trace() {
    EventsView view = of(table(OWN, 6));

    assertThat(view.anyTrace()).isTrue();
    assertThat(view.highestEpoch()).isEqualTo(6);
    assertThat(view.newestCheckpoint()).isEmpty();
  }

  @Test
  @DisplayName("C25: halts and clears are told apart by id")
  void halts_and_clears_go_by_id() {
    EventsView view = of(halt(OWN, "a"), halt(OWN, "b"), clear("a", Optional.empty()));

    assertThat(view.halts()).isEqualTo(Map.of("a", "why a", "b", "why b"));
    assertThat(view.clearedHalts()).containsExactly("a");
    assertThat(view.anyTrace()).isFalse();
  }

  @Test
  @DisplayName("C8: an accepted rewind lets older checkpoints go, and a plain clear does not")
  void an_accepted_rewind_lets_older_checkpoints_go() {
    Optional<Position> rewind = Optional.of(Position.batchEnd(3));

    assertThat(of(checkpoint(OWN, 1, 9), clear("a", Optional.empty())).newestCheckpoint())
        .isPresent();
    assertThat(of(checkpoint(OWN, 1, 9), clear("a", rewind)).newestCheckpoint()).isEmpty();
    EventsView after = of(checkpoint(OWN, 1, 9), clear("a", rewind), checkpoint(OWN, 2, 4));
    assertThat(after.newestCheckpoint().orElseThrow().to()).isEqualTo(Position.batchEnd(4));
    assertThat(after.highestEpoch()).isEqualTo(2);
  }
}
