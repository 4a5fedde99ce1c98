package dev.tula.connect.refnode.workload;

/** A file of transfers that can't be replayed. The message names file, line and column. */
public final class CsvFormatException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  CsvFormatException(String message) {
    super(message);
  }
}
