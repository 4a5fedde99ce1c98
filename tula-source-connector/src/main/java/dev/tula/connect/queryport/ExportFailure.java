package dev.tula.connect.queryport;

import dev.tula.connect.model.Range;
import java.util.Optional;

/**
 * An export that cannot go on. The message says what, where and what to do, and begins with the
 * code where there is one; so does {@link #toString}, because a failed task's trace has to begin
 * with it.
 */
public final class ExportFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final FailureCode code;
  private final transient Range missing;

  /** With a message that says what, where and what to do. */
  public ExportFailure(FailureCode code, String message) {
    this(code, message, null, null);
  }

  /** With a message that says what, where and what to do, and what led to it. */
  public ExportFailure(FailureCode code, String message, Throwable cause) {
    this(code, message, null, cause);
  }

  private ExportFailure(FailureCode code, String message, Range missing, Throwable cause) {
    super(code.prefix() + message, cause);
    this.code = code;
    this.missing = missing;
  }

  /** The engine no longer has {@code missing}. */
  public static ExportFailure reclaimed(Range missing, String message, Throwable cause) {
    return new ExportFailure(FailureCode.RANGE_RECLAIMED, message, missing, cause);
  }

  /** Why. */
  public FailureCode code() {
    return code;
  }

  /** With {@link FailureCode#RANGE_RECLAIMED}, exactly what is gone. */
  public Optional<Range> missing() {
    return Optional.ofNullable(missing);
  }

  /** The message alone. */
  @Override
  public String toString() {
    return getMessage();
  }
}
