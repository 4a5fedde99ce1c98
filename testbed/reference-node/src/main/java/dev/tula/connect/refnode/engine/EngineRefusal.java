package dev.tula.connect.refnode.engine;

/** A change that makes no sense in the state that the ledger is in. It leaves no record. */
public class EngineRefusal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** With a message that names the entity and what is in the way. */
  public EngineRefusal(String message) {
    super(message);
  }
}
