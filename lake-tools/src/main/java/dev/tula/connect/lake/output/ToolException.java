package dev.tula.connect.lake.output;

/**
 * Ends a run with a message for people, which says what is wrong, where, and what to do, and an
 * exit code.
 */
public final class ToolException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  /**
   * @param exitCode one of {@link ExitCode}
   * @param message for people
   * @param cause what led to it, or null
   */
  public ToolException(int exitCode, String message, Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  /** An {@link ExitCode#ERROR}. */
  public static ToolException error(String message) {
    return error(message, null);
  }

  /** An {@link ExitCode#ERROR} with its cause. */
  public static ToolException error(String message, Throwable cause) {
    return new ToolException(ExitCode.ERROR, message, cause);
  }

  /** What the process exits with. */
  public int exitCode() {
    return exitCode;
  }
}
