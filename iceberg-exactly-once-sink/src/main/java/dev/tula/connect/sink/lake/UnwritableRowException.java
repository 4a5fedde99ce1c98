package dev.tula.connect.sink.lake;

/** A row that the table can't hold as it is. The message is what the row does wrong. */
final class UnwritableRowException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnwritableRowException(String message) {
    super(message);
  }
}
