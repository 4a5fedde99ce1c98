package dev.tula.connect.queryport;

import dev.tula.connect.model.wire.Message;

/** A node answered, with an error. The connection is still usable. */
public final class ErrorReplyException extends QueryPortException {
  private static final long serialVersionUID = 1L;

  private final transient Message.ErrorReply reply;

  /** With the node that answered and its answer. */
  public ErrorReplyException(NodeAddress node, Message.ErrorReply reply) {
    super(node + " answered " + reply.code() + subCode(reply) + ": " + reply.message());
    this.reply = reply;
  }

  private static String subCode(Message.ErrorReply reply) {
    return reply.subCode() == 0 ? "" : " (sub-code " + reply.subCode() + ")";
  }

  /** The node's answer. */
  public Message.ErrorReply reply() {
    return reply;
  }
}
