package dev.tula.connect.source;

/** Whether an export partition's reader is alive and well. */
public interface LifeMetrics {
  /** 1 as long as the task holds this partition. */
  int getUp();

  /** 1 while the partition is being read. */
  int getRunning();

  /** When the engine last answered a page, in seconds since the epoch; 0 before the first. */
  long getLastSuccessUnix();

  /** Errors of any kind, those that were retried included. */
  long getExportErrorsTotal();

  /** Failures that ended the export rather than let a row be missed. */
  long getExportFailClosedTotal();
}
