package dev.tula.connect.source;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.event.CheckpointEvent;
import dev.tula.connect.model.event.ClearEvent;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.queryport.Leadership;
import java.util.Optional;

/**
 * What one export partition may ack, and whether it has to. It knows checkpoints and nothing else,
 * so that no fetch position can find its way into an ack (I4). Pure, and not thread-safe.
 */
final class PartitionAcks {
  private final EventIdentity identity;
  private Position maximum;
  private Position heldUpTo;
  private Leadership ackedTo;
  private Position ackedThrough;

  PartitionAcks(EventIdentity identity) {
    this.identity = identity;
  }

  /**
   * Takes a checkpoint into account, if it is of the same pipeline, cluster, generation, partition
   * and N (C20). Older ones, of a writer that was fenced, change nothing.
   *
   * @return whether it is a new maximum
   */
  boolean observe(CheckpointEvent event) {
    if (!event.identity().equals(identity)) {
      return false;
    }
    if (maximum != null && event.to().isAtOrBelow(maximum)) {
      return false;
    }
    maximum = event.to();
    return true;
  }

  /**
   * Takes into account that a person accepted that the lake was set back (C8): what was published
   * before is no longer in the lake, so nothing is acked until the watermark has passed it again.
   */
  void observe(ClearEvent event) {
    boolean rewound = event.identity().equals(identity) && event.acceptedRewind().isPresent();
    if (rewound && maximum != null) {
      heldUpTo = heldUpTo == null ? maximum : Position.max(heldUpTo, maximum);
      maximum = null;
    }
  }

  /**
   * What has to be acked to this leader now: the highest checkpoint, unless that very leader has it
   * in that very term. A new term has no credit, so it is told again.
   */
  Optional<Position> due(Leadership leadership) {
    if (maximum == null || heldUpTo != null && heldUpTo.isAfter(maximum)) {
      return Optional.empty();
    }
    boolean told = maximum.equals(ackedThrough) && leadership.equals(ackedTo);
    return told ? Optional.empty() : Optional.of(maximum);
  }

  /** The leader took an ack. */
  void acked(Leadership leadership, Position through) {
    ackedTo = leadership;
    ackedThrough = through;
  }
}
