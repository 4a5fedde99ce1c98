package dev.tula.connect.sink.engine;

/**
 * A disagreement that was found.
 *
 * @param reason its kind
 * @param what what was found, and where
 */
public record Finding(HaltReason reason, String what) {
  /** What was found and what to do. */
  public String message() {
    return what + ". " + reason.cure();
  }
}
