package dev.tula.connect.lake.reseed;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import java.util.Objects;
import java.util.Optional;

/**
 * What no generation of one export partition can have any more.
 *
 * @param partition the export partition
 * @param watermark W of the generation that ends; absent if it has none
 * @param start where the next generation began; absent while it has not
 * @param missing what is gone: after W, up to where the ledger's history begins or the next
 *     generation did; empty if nothing is
 * @param batches how many batches of the partition that is
 * @param unwritten records that the data topic holds beyond W, which the sink has yet to write
 */
public record Gap(
    int partition,
    Optional<Position> watermark,
    Optional<Position> start,
    Range missing,
    long batches,
    long unwritten) {
  /** Checks that the parts are there. */
  public Gap {
    Objects.requireNonNull(watermark, "watermark");
    Objects.requireNonNull(start, "start");
    Objects.requireNonNull(missing, "missing");
  }

  /**
   * The gap of a partition.
   *
   * @param partitionCount N
   * @param floor up to where the ledger has reclaimed its history
   */
  static Gap of(
      int partition,
      int partitionCount,
      Optional<Position> watermark,
      Optional<Position> start,
      Position floor,
      long unwritten) {
    Position from = watermark.orElse(Position.ORIGIN);
    Range missing = new Range(from, Position.max(from, start.orElse(floor)));
    return new Gap(
        partition,
        watermark,
        start,
        missing,
        batches(missing, partition, partitionCount),
        unwritten);
  }

  /** Numbers that leave the partition's remainder, above one batch and up to another. */
  private static long batches(Range missing, int partition, int partitionCount) {
    return upTo(missing.to(), partition, partitionCount)
        - upTo(missing.from(), partition, partitionCount);
  }

  private static long upTo(Position end, int partition, int partitionCount) {
    long batch = end.globalBatchSeq();
    // Batch 0 does not exist, though it leaves remainder 0.
    return batch < partition ? 0 : (batch - partition) / partitionCount + (partition == 0 ? 0 : 1);
  }
}
