package dev.tula.connect.local;

/**
 * A part of the local stack did not do what it had to: says which part, what, and where to look.
 */
public final class StackException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** A message that stands for itself. */
  public StackException(String message) {
    super(message);
  }

  /** The same, with what lies behind it. */
  public StackException(String message, Throwable cause) {
    super(message, cause);
  }
}
