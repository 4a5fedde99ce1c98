package dev.tula.connect.sink.engine;

/** Catalog or storage failed before anything was committed. */
public class LakeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean retriable;

  /**
   * @param message what failed, where, and what to do
   * @param cause what led to it, or null
   * @param retriable whether trying again may help
   */
  protected LakeException(String message, Throwable cause, boolean retriable) {
    super(message, cause);
    this.retriable = retriable;
  }

  /** A failure that may pass: a lost connection, a time-out, a busy server. */
  public static LakeException passing(String message, Throwable cause) {
    return new LakeException(message, cause, true);
  }

  /**
   * A failure that will not: a missing permission, a wrong setting. The message says what to do.
   */
  public static LakeException lasting(String message, Throwable cause) {
    return new LakeException(message, cause, false);
  }

  /** Whether trying again may help. */
  public boolean isRetriable() {
    return retriable;
  }
}
