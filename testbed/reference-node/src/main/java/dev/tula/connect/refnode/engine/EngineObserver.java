package dev.tula.connect.refnode.engine;

/**
 * Told of what the engine recorded, in order, and of the same again when a history is replayed. A
 * workload that keeps its state by these calls alone goes on after a restart as if there had been
 * none.
 */
public interface EngineObserver {
  /** An account was created. */
  default void accountCreated(AccountSpec account) {}

  /** An account changed; its state may be new. */
  default void accountUpdated(Id128 account, EntityState state) {}

  /** A transfer, not a resolution, left a record. */
  default void transferRecorded(TransferRequest request, Outcome outcome) {}
}
