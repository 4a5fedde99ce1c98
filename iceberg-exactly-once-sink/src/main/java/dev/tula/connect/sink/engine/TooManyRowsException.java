package dev.tula.connect.sink.engine;

/**
 * A stretch of a table holds more rows than the caller wanted to have read at once. Nothing is
 * wrong with the table, and a part of the stretch may be read.
 */
public final class TooManyRowsException extends LakeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message which table, which stretch, how many rows
   */
  public TooManyRowsException(String message) {
    super(message, null, false);
  }
}
