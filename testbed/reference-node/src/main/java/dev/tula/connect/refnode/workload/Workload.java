package dev.tula.connect.refnode.workload;

import dev.tula.connect.refnode.engine.EngineObserver;
import dev.tula.connect.refnode.engine.LedgerEngine;
import java.io.Closeable;
import java.util.Optional;

/**
 * A source of batches. What it does next depends only on what it was told as the engine's observer
 * and on the arguments of {@link #plan}, so that it goes on after a restart as if there had been
 * none. Called by one thread.
 */
public interface Workload extends EngineObserver, Closeable {
  /**
   * Where the ledger stands before a batch.
   *
   * @param globalBatchSeq the number that the batch will have
   * @param lastRecordedAtMicros the commit time before it, or the ledger's epoch
   * @param closedThroughMicros its commit time must be after this
   * @param inputCursor as the last batch left it; 0 at first
   */
  record Standing(
      long globalBatchSeq, long lastRecordedAtMicros, long closedThroughMicros, long inputCursor) {}

  /**
   * A batch that is to be filled.
   *
   * @param standing what it was planned upon
   * @param openedMicros the time of its first record
   * @param committedMicros the commit time
   * @param records how many records it is to have, at most
   */
  record Plan(Standing standing, long openedMicros, long committedMicros, int records) {}

  /** When a generated ledger begins: 2026-01-01T00:00:00.123457Z, in µs since the epoch. */
  long DEFAULT_EPOCH_MICROS = 1_767_225_600_123_457L;

  /** When the ledger begins, µs since the epoch; no record is older. */
  default long epochMicros() {
    return DEFAULT_EPOCH_MICROS;
  }

  /** Tells this workload from others: the text is kept beside the history that comes from it. */
  String fingerprint();

  /** The next batch; empty where the input is used up. */
  Optional<Plan> plan(Standing standing);

  /**
   * Fills the open batch with as many records as planned, or as {@code limit} allows.
   *
   * @return the input cursor after it
   */
  long fill(LedgerEngine engine, Plan plan, int limit);

  @Override
  default void close() {}
}
