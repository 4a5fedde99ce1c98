package dev.tula.connect.lake.output;

/** The codes that the command exits with. */
public final class ExitCode {
  /** All is well. */
  public static final int OK = 0;

  /** The command could not do its work. */
  public static final int ERROR = 1;

  /** It did, and its verdict is FAIL. */
  public static final int FAIL = 2;

  /** It was called wrongly. */
  public static final int USAGE = 64;

  /** A durability halt is in force. */
  public static final int HALTED = 86;

  /** The configured identity is not the recorded one. */
  public static final int IDENTITY = 88;

  private ExitCode() {}
}
