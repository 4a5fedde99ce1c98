package dev.tula.connect.sink.engine;

import java.util.Objects;

/**
 * A writer's claim on a table. Claims are ordered by epoch, then number; the watermark table's
 * compare-and-swap allots the number, so no two writers ever hold equal ones (C4).
 *
 * @param epoch the writer epoch
 * @param number the claim number, n: one more than the claim before it, whatever the epoch
 * @param writerId random for each start of a writer
 */
public record WriterClaim(long epoch, long number, String writerId) {
  /** Checks that the parts are there. */
  public WriterClaim {
    Objects.requireNonNull(writerId, "writerId");
  }

  /** Whether a writer that holds {@code other} has been overtaken by this one (I5). */
  public boolean isNewerThan(WriterClaim other) {
    return epoch != other.epoch ? epoch > other.epoch : number > other.number;
  }

  @Override
  public String toString() {
    return epoch + "/" + number + " of " + writerId;
  }
}
