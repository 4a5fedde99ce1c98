package dev.tula.connect.refnode.history;

/** The history can't be read, written or believed. Names the file. */
public class HistoryException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** With a message that says what to do. */
  public HistoryException(String message) {
    super(message);
  }

  /** With a message that says what to do, and what led to it. */
  public HistoryException(String message, Throwable cause) {
    super(message, cause);
  }
}
