package dev.tula.connect.sink.lake;

import dev.tula.connect.sink.engine.TableCommit;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.engine.TableView;
import java.util.List;
import java.util.Set;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.ExpireSnapshots;
import org.apache.iceberg.ExpireSnapshots.CleanupLevel;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.OverwriteFiles;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.SnapshotUpdate;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.Transactions;
import org.apache.iceberg.UpdateProperties;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.expressions.Expressions;

/**
 * One try at a commit: one Iceberg transaction of a snapshot and the properties beside it. The
 * snapshot goes in first, so that its validator, which Iceberg runs again over every refreshed
 * base, sees that base's properties through the transaction (C14).
 *
 * <p>For one thread, and used once.
 */
final class CommitAttempt {
  private final TableCommit commit;
  private final CommitCondition condition;
  private final TableOperations operations;
  private final Transaction transaction;
  private boolean refused;

  CommitAttempt(
      String table, TableCommit commit, CommitCondition condition, TableOperations operations) {
    this.commit = commit;
    this.condition = condition;
    this.operations = operations;
    this.transaction = Transactions.newTransaction(table, operations, report -> {});
  }

  /** Whether the validator stopped it: the table is not, or no longer, as expected. */
  boolean wasRefused() {
    return refused;
  }

  /** Adds files; none for an empty snapshot. Returns the snapshot's id. */
  long append(List<DataFile> files) {
    AppendFiles append = transaction.newAppend();
    files.forEach(append::appendFile);
    return finish(append);
  }

  /** Puts one file in the place of all that are there. Returns the snapshot's id. */
  long replaceAll(DataFile file) {
    OverwriteFiles overwrite = transaction.newOverwrite();
    overwrite.overwriteByRowFilter(Expressions.alwaysTrue()).addFile(file);
    return finish(overwrite);
  }

  /** Puts files in the place of others with the same rows. Returns the snapshot's id. */
  long rewrite(long onSnapshot, List<DataFile> replaced, List<DataFile> by) {
    RewriteFiles rewrite = transaction.newRewrite().validateFromSnapshot(onSnapshot);
    replaced.forEach(rewrite::deleteFile);
    by.forEach(rewrite::addFile);
    return finish(rewrite);
  }

  /** Puts files in the place of others with other rows. Returns the snapshot's id. */
  long repair(long onSnapshot, List<DataFile> replaced, List<DataFile> by) {
    OverwriteFiles overwrite = transaction.newOverwrite().validateFromSnapshot(onSnapshot);
    replaced.forEach(overwrite::deleteFile);
    by.forEach(overwrite::addFile);
    return finish(overwrite);
  }

  /**
   * Adds an empty snapshot and expires others. Only these: what a branch asks for itself, Iceberg
   * expires along with them. Returns the empty snapshot's id.
   */
  long expire(Set<Long> snapshotIds) {
    add(transaction.newAppend());
    ExpireSnapshots expire =
        transaction.expireSnapshots().expireOlderThan(0).cleanupLevel(CleanupLevel.NONE);
    snapshotIds.forEach(expire::expireSnapshotId);
    expire.commit();
    return send();
  }

  private long finish(SnapshotUpdate<?> update) {
    add(update);
    return send();
  }

  private void add(SnapshotUpdate<?> update) {
    update.validateWith(ancestors -> isBaseAsExpected());
    commit.next().toProperties().forEach(update::set);
    update.commit();
    UpdateProperties properties = transaction.updateProperties();
    properties.set(TableState.PROPERTY, commit.next().toJson());
    commit.properties().forEach(properties::set);
    properties.commit();
  }

  private long send() {
    transaction.commitTransaction();
    return checkedSnapshot();
  }

  /** A catalog's word is not taken for success either. */
  private long checkedSnapshot() {
    long snapshotId = transaction.table().currentSnapshot().snapshotId();
    TableMetadata now = operations.current();
    if (now == null || now.snapshot(snapshotId) == null) {
      throw new CommitStateUnknownException(
          new IllegalStateException(
              "the catalog reported success and does not show snapshot " + snapshotId));
    }
    return snapshotId;
  }

  private boolean isBaseAsExpected() {
    TableMetadata base = ((HasTableOperations) transaction.table()).operations().current();
    TableView view = condition.view(base, operations.io());
    if (condition.landed(base, view).isPresent()) {
      refused = true;
      // False would make Iceberg clean up after a commit that is in the table (C16).
      throw new CommitStateUnknownException(
          new IllegalStateException("the commit is in the table already"));
    }
    boolean holds = condition.holds(base, view);
    refused |= !holds;
    return holds;
  }
}
