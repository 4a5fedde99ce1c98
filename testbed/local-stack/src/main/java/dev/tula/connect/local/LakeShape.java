package dev.tula.connect.local;

import java.util.Locale;

/**
 * What decides which tables a pipeline has.
 *
 * @param layout how transactions are spread over tables
 * @param partitionCount the number of export partitions, N
 * @param includeMetadata whether there are change-logs
 * @param fullRecord whether transactions have balances and the engine's digest
 */
public record LakeShape(
    Layout layout, int partitionCount, boolean includeMetadata, boolean fullRecord) {
  /** How transactions are spread over tables; {@code tula.layout}. */
  public enum Layout {
    /** A table for each kind, tiered ledgers apart. */
    BY_TYPE,
    /** A table for each mode. */
    BY_MODE,
    /** One table. */
    SHARED;

    /** As the configuration writes it. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The physical name of a table of one partition, in the first generation. */
  String physicalName(String logicalName, int partition) {
    return partitionCount == 1 ? logicalName : logicalName + "_p" + partition;
  }
}
