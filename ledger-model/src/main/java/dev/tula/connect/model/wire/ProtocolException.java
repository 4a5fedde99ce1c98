package dev.tula.connect.model.wire;

/**
 * A frame or message that breaks the protocol. The connection it came from is of no further use.
 */
public class ProtocolException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** With a message that names the part at fault. */
  public ProtocolException(String message) {
    super(message);
  }

  /** With a message that names the part at fault, and what led to it. */
  public ProtocolException(String message, Throwable cause) {
    super(message, cause);
  }
}
