package dev.tula.connect.refnode.engine;

/** What a transfer request asks for. The code is stored beside the record. */
public enum RequestType {
  /** Move the amount at once. */
  SINGLE(1),
  /** Hold the amount until a resolution. */
  RESERVE(2),
  /** Move what an earlier reserve holds. */
  COMMIT(3),
  /** Let go of what an earlier reserve holds. */
  ROLLBACK(4),
  /** Record that the caller itself turned the transfer down. */
  REJECT(5);

  private static final RequestType[] BY_CODE = {null, SINGLE, RESERVE, COMMIT, ROLLBACK, REJECT};

  private final byte code;

  RequestType(int code) {
    this.code = (byte) code;
  }

  /** The stored code. */
  public byte code() {
    return code;
  }

  /** Whether this settles an earlier reserve. */
  public boolean isResolution() {
    return this == COMMIT || this == ROLLBACK;
  }

  /**
   * The type with this code.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static RequestType ofCode(byte code) {
    if (code < 1 || code >= BY_CODE.length) {
      throw new IllegalArgumentException("request type " + code + " does not exist");
    }
    return BY_CODE[code];
  }
}
