package dev.tula.connect.sink;

import dev.tula.connect.model.metrics.PartitionBean;

/**
 * The metrics of one partition's writer, as {@code
 * tula.connect:type=sink-task,connector=…,task=…,partition=…}. Counters count since the task opened
 * the partition.
 */
public interface SinkPartitionMXBean extends PartitionBean {
  /** 1 as long as the bean is there. */
  int getUp();

  /** 1 while it reads and commits; 0 while it opens, and after its end. */
  int getRunning();

  /** 1 if a durability halt is in force. */
  int getHalted();

  /** How often the partition was opened again to see whether a recorded halt was cleared. */
  long getHaltChecksTotal();

  /** 1 while fencing by leases is on and this writer holds its lease. */
  int getFencingActive();

  /** 1 while it waits for a lease that another writer holds; {@link #getPhase} says which. */
  int getFencingStandby();

  /** Leases that were lost while a writer of the partition needed them. */
  long getFencingLostTotal();

  /**
   * Renewals of its writers' leases that failed; a lease is lost once they fail for as long as it
   * lasts.
   */
  long getFencingRenewalErrorsTotal();

  /** The phase of the commit protocol, or whose lease is waited for, for people. */
  String getPhase();

  /** The last failure, for people; empty if there was none. */
  String getLastError();

  /** Seconds since the epoch of the last committed watermark, or of the opening if none was. */
  long getLastSuccessUnix();

  /** The batch of the watermark. */
  long getCommittedGlobalBatchSeq();

  /** The batch up to which records were taken from the stream. */
  long getDecodedGlobalBatchSeq();

  /** The Kafka offset that goes with the watermark; −1 before the first. */
  long getCommittedOffset();

  /** Rows committed. */
  long getRowsTotal();

  /** Rows of the lake at the watermark, whoever committed them. */
  long getLakeRows();

  /** Bytes of committed rows, in canonical form. */
  long getBytesTotal();

  /** Ranges committed. */
  long getCommitsTotal();

  /** Seconds that all commits of ranges took, from the cut to the durable checkpoint. */
  double getCommitSecondsTotal();

  /** Seconds that the last one took. */
  double getLastCommitSeconds();

  /** Commits that the catalog refused because the table had changed. */
  long getCommitConflictsTotal();

  /**
   * Commits whose reply did not tell whether they landed: the catalog answered with a failure of
   * its own, or not in time. The table tells, and what did not land is committed again.
   */
  long getCommitsUnknownTotal();

  /** Commits that the catalog reported as failed and that were in the table when it was read. */
  long getCommitFalseFailuresTotal();

  /** Files that Iceberg would have deleted after commits that it took for failed. */
  long getWithheldDeletesTotal();

  /**
   * Calls of catalog, storage or broker that failed and were tried again, commits without a telling
   * reply among them.
   */
  long getErrorsTotal();

  /** Rows that came again, were compared and dropped. */
  long getReplayedRowsTotal();

  /** Rows taken from the stream and not committed yet. */
  long getOpenRows();

  /** Bytes of memory that records take which wait to be decoded. */
  long getQueuedBytes();

  /** Bytes of memory that rows take, all of the task's partitions together. */
  long getMemoryBytes();

  /** What they may take: three quarters of {@code tula.memory.max.bytes}. */
  long getMemoryMaxBytes();

  /** How often they took so much of it that partitions were paused and ranges cut early. */
  long getMemoryReachedTotal();

  /** Ranges of this partition that were cut early to free memory. */
  long getCutsForMemoryTotal();

  /** Seconds from the time up to which the watermark is closed until now, by the worker's clock. */
  double getExportLagSeconds();

  /** The writer epoch; 0 before it is known. */
  long getWriterEpoch();
}
