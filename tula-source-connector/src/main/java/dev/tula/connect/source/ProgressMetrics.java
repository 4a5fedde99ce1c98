package dev.tula.connect.source;

/** How far an export partition was read, and what is left. */
public interface ProgressMetrics {
  /** Ledger records read. */
  long getRowsTotal();

  /** Bytes of ledger records read. */
  long getBytesTotal();

  /** Pages read, empty ones included. */
  long getPagesTotal();

  /** The batch up to which this partition was read. */
  long getFetchedGlobalBatchSeq();

  /** The ledger's last batch, as of the last page. */
  long getHeadGlobalBatchSeq();

  /** Batches between the two. */
  long getExportLagBatches();

  /** The age of the oldest record that may not have been read yet, in seconds; 0 at the head. */
  double getExportLagSeconds();

  /** Batches between the engine's reclaim floor and what was read; 0 is the edge. */
  long getExportHeadroomBatches();

  /** How often the engine no longer had what was asked for. */
  long getExportRangeReclaimedTotal();

  /** Batches that were missing the last time. */
  long getExportGapBatches();

  /** How often the engine took back a time that it had declared closed. */
  long getClosedThroughRegressionsTotal();

  /** Bytes of memory that wait for Connect in this partition's task. */
  long getQueueBytes();
}
