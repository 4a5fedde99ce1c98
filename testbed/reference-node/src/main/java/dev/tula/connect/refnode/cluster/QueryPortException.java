package dev.tula.connect.refnode.cluster;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.wire.ErrorCode;
import dev.tula.connect.model.wire.Message.ErrorReply;
import java.util.Optional;

/** A request that is answered with an error. Carries the answer. */
public final class QueryPortException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient ErrorReply reply;

  /** To be answered with {@code reply}. */
  public QueryPortException(ErrorReply reply) {
    super(reply.code() + ": " + reply.message());
    this.reply = reply;
  }

  static QueryPortException of(ErrorCode code, String message) {
    return new QueryPortException(ErrorReply.of(code, 0, message));
  }

  static QueryPortException conflict(int subCode, String message) {
    return new QueryPortException(
        ErrorReply.of(ErrorCode.ERR_EXPORT_GROUP_CONFLICT, subCode, message));
  }

  static QueryPortException notLeader(String leaderAddress) {
    return new QueryPortException(
        new ErrorReply(
            ErrorCode.ERR_NOT_LEADER,
            0,
            leaderAddress.isEmpty()
                ? "this node does not lead, and no leader is known"
                : "this node does not lead; " + leaderAddress + " does",
            leaderAddress,
            Optional.empty(),
            Optional.empty(),
            0));
  }

  static QueryPortException reclaimed(Position requested, Position floor) {
    return new QueryPortException(
        new ErrorReply(
            ErrorCode.ERR_EXPORT_RANGE_RECLAIMED,
            0,
            "(" + requested + ", " + floor + "] was reclaimed; what is left begins after " + floor,
            "",
            Optional.of(requested),
            Optional.of(floor),
            0));
  }

  /** To be tried again after so many milliseconds. */
  public static QueryPortException busy(String message, int retryAfterMs) {
    return new QueryPortException(
        new ErrorReply(
            ErrorCode.ERR_BUSY, 0, message, "", Optional.empty(), Optional.empty(), retryAfterMs));
  }

  /** The answer. */
  public ErrorReply reply() {
    return reply;
  }
}
