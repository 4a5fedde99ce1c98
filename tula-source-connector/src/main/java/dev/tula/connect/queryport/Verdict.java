package dev.tula.connect.queryport;

import java.util.Optional;

/** What to do about an error, as {@link RetryClassifier} judges it. */
public sealed interface Verdict {
  /**
   * Drop the connection and try another node, after a back-off once all were tried.
   *
   * @param leaderHint the address that the node named as the leader's, if it did
   */
  record TryAnotherNode(Optional<String> leaderHint) implements Verdict {}

  /**
   * The node or broker is well, and wants to be asked again later.
   *
   * @param waitMs the wait that it asked for; 0 leaves it to the back-off
   */
  record AskAgain(long waitMs) implements Verdict {}

  /** The leader's term is over. Ack again in the new one. */
  record AwaitNewTerm() implements Verdict {}

  /**
   * Another client holds the lease. It may be a dead one of ours, whose lease runs out.
   *
   * @param otherwise what it is after that
   */
  record AwaitLease(ExportFailure otherwise) implements Verdict {}

  /**
   * Give up.
   *
   * @param failure why
   */
  record Fail(ExportFailure failure) implements Verdict {}
}
