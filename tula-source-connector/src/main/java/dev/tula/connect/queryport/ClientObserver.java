package dev.tula.connect.queryport;

/** Is told what a client goes through, to count it. Called on the client's thread. */
public interface ClientObserver {
  /** Ignores everything. */
  ClientObserver NONE = new ClientObserver() {};

  /** An attempt failed and will be repeated. */
  default void onRetry(Exception error) {}

  /** A connection is open, to the node that will be read from. */
  default void onConnected(NodeAddress node) {}

  /**
   * Another node was asked who leads, since the one that is read from has nothing new.
   *
   * @param outcome what came of it
   */
  default void onProbe(ProbeOutcome outcome) {}

  /** What came of asking another node. */
  enum ProbeOutcome {
    /** It knows of no newer term. */
    CONFIRMED,
    /** It knows of a newer term, whose leader is read from now on. */
    NEWER_TERM,
    /** It did not answer. */
    FAILED
  }
}
