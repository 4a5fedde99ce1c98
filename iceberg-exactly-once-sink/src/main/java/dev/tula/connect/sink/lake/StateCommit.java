package dev.tula.connect.sink.lake;

import dev.tula.connect.sink.engine.Lake.CommitReply;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.TableCommit;
import dev.tula.connect.sink.engine.TableCommit.Change;
import dev.tula.connect.sink.engine.TableFile;
import dev.tula.connect.sink.engine.TableView;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Schema;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.io.FileIO;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One compare-and-set of a table's whole state (C14). Each attempt is a transaction of its own that
 * begins with the table as it is; the condition is checked before it, and again by Iceberg over
 * whatever base the attempt ends up on. After a failure nothing is believed but the table, read
 * again (C16, C17).
 *
 * <p>Several attempts can't both land, as each is tied to the main snapshot that it stands on.
 *
 * <p>For one thread and one commit.
 */
final class StateCommit {
  /** Attempts at one commit; more than two means that someone else commits all the time. */
  static final int MAX_ATTEMPTS = 6;

  private static final Logger LOG = LoggerFactory.getLogger(StateCommit.class);
  private static final long FIRST_BACKOFF_MS = 50;
  private static final long MAX_BACKOFF_MS = 2_000;

  private final TableAccess table;
  private final TableCommit commit;
  private final RowFile rowFile;
  private final SendGate gate;
  private final Counters counters;
  private final CommitCondition condition;
  private Optional<DataFile> writtenRow = Optional.empty();
  private PreparedOperations.Prepared prepared;

  /** Writes the file of a {@link Change.ReplaceRow}. */
  interface RowFile {
    DataFile write(TableAccess.Loaded table, Change.ReplaceRow change);
  }

  /**
   * What went otherwise than it was reported.
   *
   * @param withheldDeletes files that Iceberg would have deleted
   * @param falseFailures commits that landed and were reported as failed
   */
  record Counters(LongAdder withheldDeletes, AtomicLong falseFailures) {}

  /**
   * Why the last attempt did not land.
   *
   * @param answer what was thrown
   * @param refused whether the validator stopped it
   * @param sent whether its request went out
   */
  record Failure(RuntimeException answer, boolean refused, boolean sent) {
    /** What the catalog answered to a request. */
    static Failure ofAnswer(RuntimeException answer) {
      return new Failure(answer, false, true);
    }

    private boolean isConflict() {
      return refused || answer instanceof CommitFailedException;
    }

    /** Whether the request may have been taken for all that was answered. */
    boolean leavesDoubt() {
      return !isConflict() && !LakeErrors.isDefiniteRefusal(answer);
    }

    /** Whether another attempt would end the same way, or is the engine's to ask for. */
    boolean isFinal() {
      return !isConflict() && (!sent || LakeErrors.isDefiniteRefusal(answer));
    }
  }

  StateCommit(
      TableAccess table,
      Schema expectedSchema,
      TableCommit commit,
      RowFile rowFile,
      SendGate gate,
      Counters counters) {
    this.table = table;
    this.commit = commit;
    this.rowFile = rowFile;
    this.gate = gate;
    this.counters = counters;
    this.condition = new CommitCondition(table.name(), expectedSchema, commit);
  }

  /**
   * Commits, or finds that it can't.
   *
   * @throws RuntimeException if the commit certainly is not in the table and won't be
   */
  CommitReply run() {
    Optional<Failure> failure = Optional.empty();
    for (int attempt = 1; attempt <= MAX_ATTEMPTS + 1; attempt++) {
      Optional<TableAccess.Loaded> now;
      try {
        now = table.load();
      } catch (RuntimeException e) {
        if (condition.anythingSent()) {
          return unknown(failure.orElseThrow(), "and the table can't be read: " + e);
        }
        throw e;
      }
      if (now.isEmpty()) {
        return new CommitReply.Refused(Optional.empty());
      }
      Optional<CommitReply> reply = decide(now.get(), failure, attempt > MAX_ATTEMPTS);
      if (reply.isPresent()) {
        return reply.get();
      }
      backOff(attempt);
      Try outcome = attempt(now.get());
      if (outcome.snapshotId().isPresent()) {
        return new CommitReply.Landed(outcome.snapshotId().getAsLong());
      }
      failure = outcome.failure();
    }
    throw new IllegalStateException("the last round always decides");
  }

  /** The table as it is. */
  Optional<TableAccess.Loaded> load() {
    return table.load();
  }

  TableView view(TableAccess.Loaded now) {
    return condition.view(now.metadata(), now.operations().io());
  }

  boolean anythingSent() {
    return condition.anythingSent();
  }

  /** What the table as it is says; empty if it is worth an attempt. */
  Optional<CommitReply> decide(
      TableAccess.Loaded now, Optional<Failure> failure, boolean exhausted) {
    TableView view = view(now);
    OptionalLong landed = condition.landed(now.metadata(), view);
    if (landed.isPresent()) {
      return Optional.of(new CommitReply.Landed(landed.getAsLong()));
    }
    boolean mayLand = condition.mayLand(now.metadata());
    if (mayLand && failure.filter(Failure::leavesDoubt).isPresent()) {
      return Optional.of(unknown(failure.get(), "and the table does not show it yet"));
    }
    if (!condition.holds(now.metadata(), view)) {
      return Optional.of(new CommitReply.Refused(Optional.of(view)));
    }
    if (failure.filter(Failure::isFinal).isPresent()) {
      throw failure.get().answer();
    }
    return exhausted ? Optional.of(giveUp(failure.orElseThrow(), mayLand)) : Optional.empty();
  }

  private CommitReply giveUp(Failure failure, boolean mayLand) {
    if (mayLand) {
      return unknown(failure, "after " + MAX_ATTEMPTS + " attempts");
    }
    throw LakeException.passing(
        "table " + table.name() + " changed under each of " + MAX_ATTEMPTS + " attempts to commit",
        failure.answer());
  }

  CommitReply unknown(Failure failure, String then) {
    return new CommitReply.Unknown(
        "table " + table.name() + ": the catalog answered " + failure.answer() + ", " + then);
  }

  /**
   * A commit that is ready to be sent together with others, or why it is not.
   *
   * @param request for the catalog
   * @param failure why there is none
   */
  record Preparation(
      Optional<org.apache.iceberg.catalog.TableCommit> request, Optional<Failure> failure) {}

  /** Does all of an attempt but send it. */
  Preparation prepare(TableAccess.Loaded now) {
    PreparedOperations operations =
        new PreparedOperations(
            now.operations(), new KeepingFileIo(now.operations().io(), counters.withheldDeletes()));
    CommitAttempt attempt = null;
    try {
      attempt = new CommitAttempt(table.name(), commit, condition, operations);
      commitChange(now, attempt);
      prepared = operations.prepared();
      return new Preparation(
          Optional.of(
              org.apache.iceberg.catalog.TableCommit.create(
                  table.identifier(), prepared.base(), prepared.updated())),
          Optional.empty());
    } catch (RuntimeException e) {
      LOG.info("A commit to table {} could not be prepared", table.name(), e);
      boolean refused = attempt != null && attempt.wasRefused();
      return new Preparation(Optional.empty(), Optional.of(new Failure(e, refused, false)));
    }
  }

  /** What the catalog's answer to it means, where that is about this table. */
  Optional<RuntimeException> explain(RuntimeException answer) {
    return MetadataLimit.explain(prepared.updated(), answer);
  }

  /** Notes that what was prepared last goes out. */
  void sent() {
    condition.sent(
        new CommitCondition.Sent(
            prepared.updated().currentSnapshot().snapshotId(),
            CommitCondition.mainSnapshot(prepared.base())));
  }

  /** How an attempt ended: by a snapshot or by a failure. */
  private record Try(OptionalLong snapshotId, Optional<Failure> failure) {}

  private Try attempt(TableAccess.Loaded now) {
    FileIO io = new KeepingFileIo(now.operations().io(), counters.withheldDeletes());
    GuardedOperations operations =
        new GuardedOperations(now.operations(), io, gate, condition, counters.falseFailures());
    CommitAttempt attempt = null;
    try {
      attempt = new CommitAttempt(table.name(), commit, condition, operations);
      return new Try(OptionalLong.of(commitChange(now, attempt)), Optional.empty());
    } catch (SendGate.ClosedException e) {
      throw e;
    } catch (RuntimeException e) {
      LOG.info("An attempt to commit to table {} failed", table.name(), e);
      RuntimeException answer =
          e instanceof GuardedOperations.NotThereException notThere ? notThere.answer() : e;
      return new Try(
          OptionalLong.empty(),
          Optional.of(
              new Failure(answer, attempt != null && attempt.wasRefused(), operations.wasSent())));
    }
  }

  private long commitChange(TableAccess.Loaded now, CommitAttempt attempt) {
    if (commit.change() instanceof Change.Append append) {
      return attempt.append(dataFiles(append.files()));
    }
    if (commit.change() instanceof Change.ReplaceRow replace) {
      if (writtenRow.isEmpty()) {
        writtenRow = Optional.of(rowFile.write(now, replace));
      }
      return attempt.replaceAll(writtenRow.get());
    }
    if (commit.change() instanceof Change.Rewrite rewrite) {
      return attempt.rewrite(
          rewrite.onSnapshot(), dataFiles(rewrite.replaced()), dataFiles(rewrite.by()));
    }
    if (commit.change() instanceof Change.Repair repair) {
      return attempt.repair(
          repair.onSnapshot(), dataFiles(repair.replaced()), dataFiles(repair.by()));
    }
    if (commit.change() instanceof Change.Expire expire) {
      return attempt.expire(expire.snapshotIds());
    }
    return attempt.append(List.of());
  }

  private static List<DataFile> dataFiles(List<? extends TableFile> files) {
    return files.stream().map(StateCommit::dataFile).toList();
  }

  private static DataFile dataFile(TableFile file) {
    if (file instanceof StagedDataFile staged) {
      return staged.dataFile();
    }
    if (file instanceof ListedDataFile listed) {
      return listed.dataFile();
    }
    throw new IllegalArgumentException(file.location() + " is no file of this lake");
  }

  static void backOff(int attempt) {
    if (attempt == 1) {
      return;
    }
    long limit = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS << attempt - 2);
    try {
      Thread.sleep(ThreadLocalRandom.current().nextLong(limit / 2, limit + 1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw LakeException.passing("interrupted between two attempts to commit", e);
    }
  }
}
