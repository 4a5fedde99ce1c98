package dev.tula.connect.refnode.cluster;

import dev.tula.connect.model.Position;
import dev.tula.connect.refnode.engine.BalanceCheck;
import dev.tula.connect.refnode.engine.EngineRefusal;
import dev.tula.connect.refnode.engine.LedgerEngine;
import dev.tula.connect.refnode.history.History;
import dev.tula.connect.refnode.workload.Workload;
import dev.tula.connect.refnode.workload.Workload.Plan;
import dev.tula.connect.refnode.workload.Workload.Standing;
import java.io.Closeable;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * The engine, its history and the workload that drives it, as one: each batch is decided, written
 * and only then seen. Safe for any thread; one batch at a time is made.
 */
public final class CommittedLedger implements Closeable {
  // One entry of the log in eight is the cluster's own and carries no records.
  private static final int BATCHES_PER_OWN_ENTRY = 7;

  private final Workload workload;
  private final LedgerEngine engine;
  private final History history;
  private final Signal signal = new Signal();
  private long inputCursor;
  private RuntimeException failure;

  private CommittedLedger(Path directory, long segmentBytes, Workload workload) {
    this.workload = workload;
    this.history = new History(directory, segmentBytes);
    this.engine = new LedgerEngine(history, workload, workload.epochMicros());
    try {
      this.history.load(engine::restore);
    } catch (RuntimeException e) {
      history.close();
      throw e;
    }
    this.inputCursor = history.inputCursor();
  }

  /**
   * Opens the ledger in a directory, or begins one there, and brings engine and workload to where
   * it stands.
   */
  public static CommittedLedger open(Path directory, long segmentBytes, Workload workload) {
    return new CommittedLedger(directory, segmentBytes, workload);
  }

  /** The {@code batch_seq} of a batch: its number among all entries of the cluster's log. */
  public static long batchSeq(long globalBatchSeq) {
    return globalBatchSeq + (globalBatchSeq + BATCHES_PER_OWN_ENTRY - 1) / BATCHES_PER_OWN_ENTRY;
  }

  /**
   * Lets the workload add exactly so many records, or fewer where its input ends, and closes the
   * time up to the last of them.
   *
   * @return how many were added
   */
  public long advance(long records) {
    long added = 0;
    while (added < records) {
      long inBatch = nextBatch(records - added);
      if (inBatch == 0) {
        break;
      }
      added += inBatch;
    }
    closeLastBatch();
    return added;
  }

  /** Lets the workload add one batch of {@code limit} records at most; 0 where its input ends. */
  public synchronized long nextBatch(long limit) {
    requireSound();
    int most = (int) Math.min(limit, Integer.MAX_VALUE);
    long records = 0;
    // Input that only repeats what is known leaves no record, and so no batch: go on to the next.
    while (records == 0) {
      Optional<Plan> plan = workload.plan(standing());
      if (plan.isEmpty()) {
        return 0;
      }
      records =
          commit(
              plan.get().openedMicros(),
              plan.get().committedMicros(),
              () -> workload.fill(engine, plan.get(), most));
    }
    return records;
  }

  /**
   * Makes one batch of the changes that {@code changes} makes.
   *
   * @return the batch's number; that of the last one if the changes left no record
   * @throws EngineRefusal from a change that makes no sense; what came before it is committed
   */
  public synchronized long submit(Consumer<LedgerEngine> changes) {
    requireSound();
    Standing standing = standing();
    EngineRefusal[] refusal = new EngineRefusal[1];
    long opened = Math.max(standing.lastRecordedAtMicros(), standing.closedThroughMicros()) + 1;
    commit(
        opened,
        opened + 1000,
        () -> {
          try {
            changes.accept(engine);
          } catch (EngineRefusal e) {
            refusal[0] = e;
          }
          return inputCursor;
        });
    if (refusal[0] != null) {
      throw refusal[0];
    }
    return history.head();
  }

  private Standing standing() {
    long head = history.head();
    long closed = history.closedThroughMicros();
    long last = head == 0 ? workload.epochMicros() : history.recordedAtMicros(head);
    return new Standing(head + 1, Math.max(last, closed), closed, inputCursor);
  }

  private long commit(long opened, long committed, LongSupplier fill) {
    long gbs = history.head() + 1;
    try {
      engine.beginBatch(gbs, batchSeq(gbs), opened, committed);
      inputCursor = fill.getAsLong();
      long records = engine.recordsInBatch();
      engine.endBatch();
      if (records > 0) {
        history.commitBatch(committed, inputCursor);
        signal.changed();
      }
      return records;
    } catch (RuntimeException e) {
      failure = e;
      throw e;
    }
  }

  private void requireSound() {
    if (failure != null) {
      throw new IllegalStateException(
          "the ledger failed earlier and takes no more batches: open it anew", failure);
    }
  }

  /** Closes the time up to and with the last batch's commit time: the next comes later. */
  public synchronized void closeLastBatch() {
    if (history.head() > 0) {
      history.tick(history.recordedAtMicros(history.head()));
      signal.changed();
    }
  }

  /** Lets time pass without a batch. */
  public synchronized void pass(long micros) {
    requireSound();
    history.tick(clockMicros() + micros);
    signal.changed();
  }

  /** What is closed at a position, µs: {@link History#closedThroughMicros(Position)}. */
  public long closedThroughMicros(Position position) {
    return Math.max(workload.epochMicros() - 1, history.closedThroughMicros(position));
  }

  /** The engine's clock, µs since the epoch: it stands at the last commit or closed time. */
  public long clockMicros() {
    long head = history.head();
    long last = head == 0 ? workload.epochMicros() : history.recordedAtMicros(head);
    return Math.max(last, history.closedThroughMicros());
  }

  /** The number of records so far. */
  public synchronized long rows() {
    return history.rows();
  }

  /** How many of them are metadata changes. */
  public synchronized long metadataRows() {
    return history.metadataRows();
  }

  /** Counts over every account. */
  public synchronized BalanceCheck checkBalances() {
    return engine.checkBalances();
  }

  /** Looks at the engine between two batches. */
  public synchronized <T> T inspect(Function<LedgerEngine, T> look) {
    return look.apply(engine);
  }

  /** Tells the workload from others. */
  String workloadFingerprint() {
    return workload.fingerprint();
  }

  /** The committed history, for reading. */
  public History history() {
    return history;
  }

  Signal signal() {
    return signal;
  }

  @Override
  public synchronized void close() {
    failure = new IllegalStateException("closed");
    history.close();
    workload.close();
  }
}
