package dev.tula.connect.sink.engine;

/**
 * A table's {@code tula.state} that can't be read: it was edited, or written by a later version.
 */
public class MalformedStateException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** With a message that names the key. */
  public MalformedStateException(String message) {
    super(message);
  }

  /** With a message that names the key, and what led to it. */
  public MalformedStateException(String message, Throwable cause) {
    super(message, cause);
  }
}
