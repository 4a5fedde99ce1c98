package dev.tula.connect.sink.lake;

import dev.tula.connect.sink.engine.LakeException;

/** A table holds rows that no writer of ours can have committed. Trying again does not help. */
public final class ChangedRowsException extends LakeException {
  private static final long serialVersionUID = 1L;

  ChangedRowsException(String message, Throwable cause) {
    super(message, cause, false);
  }
}
