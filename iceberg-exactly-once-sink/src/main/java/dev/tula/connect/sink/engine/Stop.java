package dev.tula.connect.sink.engine;

/**
 * Why a writer ended.
 *
 * @param code the kind of end
 * @param message for people: what, where, and what to do
 */
public record Stop(Code code, String message) {
  /** The kinds of end. */
  public enum Code {
    /**
     * Lake and stream disagree; recorded, and only a person may lift it. Where it could not be
     * recorded, the message says so, and the next writer finds it again.
     */
    HALTED,
    /** A halt recorded earlier is still in force (C26). */
    HALTED_BEFORE,
    /** The configuration's identity is not the recorded one; nothing is recorded. */
    IDENTITY,
    /** A newer writer has claimed the partition. Not a halt: this writer ends alone (C15). */
    FENCED,
    /** Something failed that trying again did not cure, or can't. */
    FAILED
  }

  /** The message with the code that a failed task's trace starts with. */
  public String codedMessage() {
    return switch (code) {
      case HALTED, HALTED_BEFORE -> "TULA-86 " + message;
      case IDENTITY -> "TULA-88 " + message;
      case FENCED -> "TULA-FENCED " + message;
      case FAILED -> message;
    };
  }
}
