package dev.tula.connect.queryport;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.model.wire.ErrorCode;
import dev.tula.connect.model.wire.Message;
import java.util.Optional;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.RetriableException;

/**
 * The one place that tells what may pass from what may not, for errors of the query port and of
 * Kafka alike. Pure, and safe for any thread.
 */
public final class RetryClassifier {
  private final boolean followerReads;

  /** For a client that reads followers, or one that reads leaders only. */
  public RetryClassifier(boolean followerReads) {
    this.followerReads = followerReads;
  }

  /** What to do about {@code error}. */
  public Verdict classify(Throwable error) {
    if (error instanceof ErrorReplyException reply) {
      return ofReply(reply);
    }
    if (error instanceof QueryPortException) {
      return new Verdict.TryAnotherNode(Optional.empty());
    }
    if (error instanceof ExportFailure failure) {
      return new Verdict.Fail(failure);
    }
    if (error instanceof ApiException api) {
      return ofKafka(api);
    }
    return new Verdict.Fail(
        new ExportFailure(
            FailureCode.CONTRACT,
            "the export failed in a way that is not foreseen: " + error,
            error));
  }

  private Verdict ofReply(ErrorReplyException error) {
    Message.ErrorReply reply = error.reply();
    return switch (reply.code()) {
      case ERR_PROTOCOL -> new Verdict.TryAnotherNode(Optional.empty());
      case ERR_NOT_LEADER ->
          new Verdict.TryAnotherNode(
              Optional.of(reply.leaderAddress()).filter(address -> !address.isEmpty()));
      case ERR_BUSY -> new Verdict.AskAgain(Math.max(0, reply.retryAfterMs()));
      case ERR_STALE_TERM -> new Verdict.AwaitNewTerm();
      case ERR_EXPORT_GROUP_CONFLICT -> ofGroupConflict(error);
      case ERR_POSITION_AHEAD -> ofPositionAhead(error);
      case ERR_EXPORT_RANGE_RECLAIMED -> new Verdict.Fail(reclaimed(error));
      case ERR_CLUSTER_MISMATCH ->
          fail(FailureCode.IDENTITY, error, "set tula.hosts or tula.cluster.id right");
      case ERR_UNAUTHORIZED ->
          fail(
              FailureCode.CONFIGURATION,
              error,
              "the client's certificate needs the exporter role (OU=exporter or the SAN URI"
                  + " tula:role/exporter)");
      case ERR_VERSION ->
          fail(
              FailureCode.CONFIGURATION,
              error,
              "this connector speaks version "
                  + Message.VERSION
                  + " of the query port; use a release of the connector that fits the engine");
      case ERR_BAD_REQUEST ->
          fail(FailureCode.CONTRACT, error, "the request can never be answered; see the message");
    };
  }

  private static Verdict fail(FailureCode code, ErrorReplyException error, String cure) {
    return new Verdict.Fail(new ExportFailure(code, error.getMessage() + "; " + cure, error));
  }

  private Verdict ofPositionAhead(ErrorReplyException error) {
    if (followerReads) {
      return new Verdict.TryAnotherNode(Optional.empty());
    }
    return fail(
        FailureCode.DURABILITY,
        error,
        "the ledger ends below what was exported from it: it was restored from a backup, or is"
            + " another ledger under the same cluster id");
  }

  private static Verdict ofGroupConflict(ErrorReplyException error) {
    ExportFailure failure =
        new ExportFailure(
            FailureCode.IDENTITY,
            error.getMessage() + "; " + groupConflict(error.reply().subCode()),
            error);
    return error.reply().subCode() == ErrorCode.GROUP_INDEX_TAKEN
        ? new Verdict.AwaitLease(failure)
        : new Verdict.Fail(failure);
  }

  private static String groupConflict(int subCode) {
    return switch (subCode) {
      case ErrorCode.GROUP_COUNT_DIFFERS ->
          "N is fixed for a generation, and a task of this pipeline holds a lease with another"
              + " tula.partition.count: set it to that, or open the next generation"
              + " (tula.generation). The lease of a task that no longer runs ends with"
              + " export_lease_ttl_ms";
      case ErrorCode.GROUP_INDEX_TAKEN ->
          "another connector reads this pipeline's partition, under another connector name; stop it"
              + " or give this one another tula.pipeline";
      case ErrorCode.GROUP_OPTION_MISMATCH ->
          "all tasks of a pipeline have to ask for the same records: see which connector's"
              + " tula.include.metadata or tula.full.txn.record differs, and set it back. The lease of"
              + " a task that no longer runs ends with export_lease_ttl_ms";
      case ErrorCode.GROUP_LEASE_TABLE_FULL ->
          "the engine's lease table has no room for every partition of the group, and without them"
              + " all it earns no credit; remove pipelines that are no longer read, or enlarge it"
              + " (export_lease_table_size)";
      case ErrorCode.GROUP_NOT_THE_LEADERS ->
          "a partition group has to read the leader, and this node does not lead; set"
              + " tula.allow.follower.reads=false, see that tula.hosts names every node, and restart"
              + " the task";
      default -> "the pipeline's partition group is in conflict";
    };
  }

  private static ExportFailure reclaimed(ErrorReplyException error) {
    Position requested = error.reply().requested().orElse(Position.ORIGIN);
    Position floor = error.reply().floor().orElse(requested);
    return reclaimed(new Range(requested, Position.max(requested, floor)), error);
  }

  /** The failure for a range that the engine no longer has; the same words wherever it is found. */
  public static ExportFailure reclaimed(Range missing, Throwable cause) {
    return ExportFailure.reclaimed(
        missing,
        "the engine no longer has the range "
            + missing
            + ": its reclaim floor has passed the position that this pipeline reads from. Nothing"
            + " can bring it back through this generation. tula-lake reseed says what is lost and opens"
            + " the next one; a pipeline that has not begun yet takes tula.bootstrap=initial or"
            + " tula.start.position=floor, which leave the range out knowingly",
        cause);
  }

  private static Verdict ofKafka(ApiException error) {
    if (error instanceof RetriableException) {
      return new Verdict.AskAgain(0);
    }
    boolean access =
        error instanceof AuthenticationException || error instanceof AuthorizationException;
    return new Verdict.Fail(
        new ExportFailure(
            FailureCode.CONFIGURATION,
            "Kafka refused: "
                + error.getMessage()
                + (access ? "; check the tula.kafka. client's credentials and its ACLs" : ""),
            error));
  }
}
