package dev.tula.connect.sink.fencing;

/** A writer no longer holds its lease, and so must not write any more. */
public final class LeaseLostException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  LeaseLostException(String message) {
    super(message);
  }
}
