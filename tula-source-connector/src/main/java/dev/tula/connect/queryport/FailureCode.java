package dev.tula.connect.queryport;

/** Why an export ends for good. */
public enum FailureCode {
  /** Lake, stream and engine disagree. */
  DURABILITY(86),
  /** The engine no longer has the range. */
  RANGE_RECLAIMED(87),
  /** Another cluster, partition count or group than this pipeline's. */
  IDENTITY(88),
  /** Something that only the operator can set right: a permission, a setting, a topic. */
  CONFIGURATION(0),
  /** What may pass by itself did not, within its limit. */
  UNAVAILABLE(0),
  /** The engine broke a promise of its protocol. */
  CONTRACT(0);

  private final int code;

  FailureCode(int code) {
    this.code = code;
  }

  /** The number that the message and a command's exit status carry; 0 where there is none. */
  public int code() {
    return code;
  }

  /** What the message begins with: {@code "TULA-87 "}, or nothing. */
  String prefix() {
    return code == 0 ? "" : "TULA-" + code + " ";
  }
}
