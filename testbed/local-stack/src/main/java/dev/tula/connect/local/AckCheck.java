package dev.tula.connect.local;

import dev.tula.connect.model.Position;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/**
 * Proves, after a run, that no ack ever passed the lake's watermark (I4). For every ack that the
 * engine logged there must have been, when it arrived, a checkpoint in the topic and a snapshot of
 * the watermark table that both reach what was acked.
 *
 * @param acks how many acks there were
 * @param violations those that were not covered at the time, in words
 */
public record AckCheck(int acks, List<String> violations) {
  /**
   * A watermark at a time, from the history of a watermark table.
   *
   * @param partition the export partition
   * @param watermark W
   * @param at when the snapshot was made, to the millisecond
   */
  public record WatermarkSnapshot(int partition, Position watermark, Instant at) {}

  /** Holds every ack against both histories. */
  public static AckCheck of(
      List<Ack> acks, List<Checkpoint> checkpoints, List<WatermarkSnapshot> watermarks) {
    List<String> violations = new ArrayList<>();
    for (Ack ack : acks) {
      // Both clocks tick in milliseconds, so the ack's is cut to the same.
      Instant at = ack.at().truncatedTo(ChronoUnit.MILLIS);
      boolean published =
          checkpoints.stream()
              .anyMatch(
                  checkpoint ->
                      checkpoint.partition() == ack.partition()
                          && ack.through().isAtOrBelow(checkpoint.to())
                          && !checkpoint.appendedAt().isAfter(at));
      boolean committed =
          watermarks.stream()
              .anyMatch(
                  snapshot ->
                      snapshot.partition() == ack.partition()
                          && ack.through().isAtOrBelow(snapshot.watermark())
                          && !snapshot.at().isAfter(at));
      if (!published || !committed) {
        violations.add(
            "partition "
                + ack.partition()
                + " was acked through "
                + ack.through()
                + " at "
                + ack.at()
                + ", when no "
                + (published ? "snapshot of the watermark table" : "checkpoint in the topic")
                + " had reached it");
      }
    }
    return new AckCheck(acks.size(), List.copyOf(violations));
  }
}
