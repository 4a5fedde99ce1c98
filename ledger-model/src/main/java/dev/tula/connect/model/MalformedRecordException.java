package dev.tula.connect.model;

/**
 * Bytes or a value that claim to be a ledger record and are not. The message says what is wrong,
 * and where.
 */
public class MalformedRecordException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** With a message that names the place and the fault. */
  public MalformedRecordException(String message) {
    super(message);
  }

  /** With a message that names the place and the fault, and what led to it. */
  public MalformedRecordException(String message, Throwable cause) {
    super(message, cause);
  }
}
