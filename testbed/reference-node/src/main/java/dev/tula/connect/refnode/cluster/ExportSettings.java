package dev.tula.connect.refnode.cluster;

/**
 * The engine's export settings, by the names that TulaDB gives them.
 *
 * @param exportLeaseTtlMs {@code export_lease_ttl_ms}: how long a lease lives after its last page;
 *     0 turns leases off
 * @param exportLeaseMaxHoldBatches {@code export_lease_max_hold_batches}: a lease that is further
 *     behind the head no longer holds anything
 * @param exportLeaseTableSize {@code export_lease_table_size}: the most leases at one time
 * @param exportLeaseDurable {@code export_lease_durable}: whether leases survive a restart
 * @param historyRetentionHours {@code history_retention_hours}: the age, by the ledger's own clock,
 *     at which history may be reclaimed; 0 keeps it for ever
 * @param historyPurgeRequiresExport {@code history_purge_requires_export}: whether only what was
 *     acked may be reclaimed
 */
public record ExportSettings(
    long exportLeaseTtlMs,
    long exportLeaseMaxHoldBatches,
    int exportLeaseTableSize,
    boolean exportLeaseDurable,
    long historyRetentionHours,
    boolean historyPurgeRequiresExport) {
  /** A minute's lease, for 64 readers, and history kept for ever. */
  public static final ExportSettings DEFAULT =
      new ExportSettings(60_000, 1_000_000, 64, true, 0, true);

  private static final int MAX_TABLE_SIZE = 1024;

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException naming the setting that is wrong
   */
  public ExportSettings {
    require(exportLeaseTtlMs >= 0, "export_lease_ttl_ms", exportLeaseTtlMs);
    require(
        exportLeaseMaxHoldBatches >= 1, "export_lease_max_hold_batches", exportLeaseMaxHoldBatches);
    require(
        exportLeaseTableSize >= 1 && exportLeaseTableSize <= MAX_TABLE_SIZE,
        "export_lease_table_size",
        exportLeaseTableSize);
    require(historyRetentionHours >= 0, "history_retention_hours", historyRetentionHours);
  }

  private static void require(boolean holds, String name, long value) {
    if (!holds) {
      throw new IllegalArgumentException(name + " = " + value + " is out of range");
    }
  }

  /** With another time to live. */
  public ExportSettings withLeaseTtlMs(long ttlMs) {
    return new ExportSettings(
        ttlMs,
        exportLeaseMaxHoldBatches,
        exportLeaseTableSize,
        exportLeaseDurable,
        historyRetentionHours,
        historyPurgeRequiresExport);
  }

  /** With another longest hold. */
  public ExportSettings withLeaseMaxHoldBatches(long batches) {
    return new ExportSettings(
        exportLeaseTtlMs,
        batches,
        exportLeaseTableSize,
        exportLeaseDurable,
        historyRetentionHours,
        historyPurgeRequiresExport);
  }

  /** With another number of leases. */
  public ExportSettings withLeaseTableSize(int size) {
    return new ExportSettings(
        exportLeaseTtlMs,
        exportLeaseMaxHoldBatches,
        size,
        exportLeaseDurable,
        historyRetentionHours,
        historyPurgeRequiresExport);
  }

  /** With leases that survive a restart, or not. */
  public ExportSettings withLeaseDurable(boolean durable) {
    return new ExportSettings(
        exportLeaseTtlMs,
        exportLeaseMaxHoldBatches,
        exportLeaseTableSize,
        durable,
        historyRetentionHours,
        historyPurgeRequiresExport);
  }

  /** With another retention. */
  public ExportSettings withRetention(long hours, boolean requiresExport) {
    return new ExportSettings(
        exportLeaseTtlMs,
        exportLeaseMaxHoldBatches,
        exportLeaseTableSize,
        exportLeaseDurable,
        hours,
        requiresExport);
  }
}
