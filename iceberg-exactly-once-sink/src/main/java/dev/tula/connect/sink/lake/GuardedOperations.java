package dev.tula.connect.sink.lake;

import java.util.concurrent.atomic.AtomicLong;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.io.FileIO;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A catalog's table operations, for one attempt at one commit, that do not take a failure's word
 * for it (C17): whatever the catalog answered, the table is read again, and a commit whose snapshot
 * is there has succeeded. A failure that is left is never one of those that make Iceberg try again
 * or clean up; trying again is {@link StateCommit}'s, which then starts from the table as it is.
 *
 * <p>For one thread.
 */
final class GuardedOperations extends LoadedOperations {
  private static final Logger LOG = LoggerFactory.getLogger(GuardedOperations.class);

  private final SendGate gate;
  private final CommitCondition condition;
  private final AtomicLong falseFailures;
  private boolean sent;

  /** The catalog answered with a failure, and the snapshot was not there afterwards. */
  static final class NotThereException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final RuntimeException answer;

    NotThereException(RuntimeException answer) {
      super(answer);
      this.answer = answer;
    }

    /** What the catalog threw, or what it means. */
    RuntimeException answer() {
      return answer;
    }
  }

  /**
   * @param delegate the catalog's own
   * @param io what files are read and written with
   * @param gate is passed before a request goes out
   * @param condition is told of each request that does
   * @param falseFailures counts commits that landed and were reported as failed
   */
  GuardedOperations(
      TableOperations delegate,
      FileIO io,
      SendGate gate,
      CommitCondition condition,
      AtomicLong falseFailures) {
    super(delegate, io);
    this.gate = gate;
    this.condition = condition;
    this.falseFailures = falseFailures;
  }

  /** Whether the request went out. */
  boolean wasSent() {
    return sent;
  }

  @Override
  public void commit(TableMetadata base, TableMetadata metadata) {
    long snapshotId = metadata.currentSnapshot().snapshotId();
    gate.enter();
    sent = true;
    condition.sent(new CommitCondition.Sent(snapshotId, CommitCondition.mainSnapshot(base)));
    try {
      super.commit(base, metadata);
    } catch (RuntimeException answer) {
      settle(metadata, answer);
    }
  }

  private void settle(TableMetadata metadata, RuntimeException answer) {
    long snapshotId = metadata.currentSnapshot().snapshotId();
    TableMetadata now;
    try {
      now = refresh();
    } catch (RuntimeException unreadable) {
      answer.addSuppressed(unreadable);
      throw new CommitStateUnknownException(answer);
    }
    if (now == null || now.snapshot(snapshotId) == null) {
      throw new NotThereException(MetadataLimit.explain(metadata, answer).orElse(answer));
    }
    falseFailures.incrementAndGet();
    LOG.warn(
        "The catalog reported a failure of a commit that is in the table, as snapshot {}",
        snapshotId,
        answer);
  }
}
