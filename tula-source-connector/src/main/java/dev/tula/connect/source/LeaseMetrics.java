package dev.tula.connect.source;

/** What the engine says of this partition's lease and of its group. */
public interface LeaseMetrics {
  /** Pages whose lease won't survive a restart of the node. */
  long getExportLeaseNotDurableTotal();

  /** Pages that hold nothing, because the lease table is full or the ledger's leases are off. */
  long getExportNoLeaseTotal();

  /** Pages whose hold was overridden by pressure or age. */
  long getExportHoldReleasedTotal();

  /** 1 if a lease is wanted and the last page held nothing. */
  int getExportCursorDetached();

  /**
   * 0 where no group is needed (N is 1), 1 with every member present, 2 with members missing, 3
   * where there can be none (N above 32, no leases, or follower reads), so that no ack counts.
   */
  int getPartitionGroupStatus();

  /** Members of the group that are present. */
  int getPartitionGroupMembersPresent();

  /** Conflicts over leases and groups. */
  long getPartitionGroupConflictsTotal();
}
