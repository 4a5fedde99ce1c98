package dev.tula.connect.queryport;

import java.io.IOException;

/**
 * A call that got no usable answer: the node could not be reached, the connection was lost, the
 * deadline passed, or the bytes broke the protocol (then the cause is a {@link
 * dev.tula.connect.model.wire.ProtocolException}). The message names the node.
 */
public class QueryPortException extends IOException {
  private static final long serialVersionUID = 1L;

  /** With a message that names the node and what happened. */
  public QueryPortException(String message) {
    super(message);
  }

  /** With a message that names the node and what happened, and what led to it. */
  public QueryPortException(String message, Throwable cause) {
    super(message, cause);
  }
}
