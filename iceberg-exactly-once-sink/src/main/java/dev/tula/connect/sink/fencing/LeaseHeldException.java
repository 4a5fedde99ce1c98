package dev.tula.connect.sink.fencing;

import dev.tula.connect.sink.engine.LakeException;

/**
 * Somebody else holds the lease. That is no failure, and may last: who stands by asks again and
 * again, for as long as the holder is well.
 */
public final class LeaseHeldException extends LakeException {
  private static final long serialVersionUID = 1L;

  private final long askAgainMs;

  LeaseHeldException(String message, long askAgainMs) {
    super(message, null, true);
    this.askAgainMs = askAgainMs;
  }

  /**
   * After how many ms to ask again: a fraction of the lease's lifetime, and a few seconds at most.
   */
  public long askAgainMs() {
    return askAgainMs;
  }
}
