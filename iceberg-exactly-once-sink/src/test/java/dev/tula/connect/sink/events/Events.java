package dev.tula.connect.sink.events;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.event.CheckpointEvent;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.event.HaltEvent;
import dev.tula.connect.model.event.TableEvent;
import java.time.Instant;
import java.util.Optional;

/** Events of one partition. */
final class Events {
  static final EventIdentity OWN = new EventIdentity("payments", "cluster-1", 1, 1, 2);

  private Events() {}

  static CheckpointEvent checkpoint(long claim, long to) {
    return checkpoint(OWN, claim, to);
  }

  static CheckpointEvent checkpoint(EventIdentity identity, long claim, long to) {
    return new CheckpointEvent(
        identity,
        1,
        claim,
        "w" + claim,
        Position.batchEnd(to - 1),
        Position.batchEnd(to),
        to,
        "ledger",
        identity.partition(),
        to,
        Instant.EPOCH);
  }

  static TableEvent table(EventIdentity identity, long epoch, long to) {
    return new TableEvent(
        identity,
        "transactions",
        "uuid",
        Position.batchEnd(to - 1),
        Position.batchEnd(to),
        "00",
        "00",
        1,
        Optional.empty(),
        to,
        to,
        epoch,
        1);
  }

  static HaltEvent halt(String id) {
    return new HaltEvent(OWN, id, "gap", "message of " + id, "w1", 1, 1, Instant.EPOCH);
  }
}
