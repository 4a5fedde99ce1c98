package dev.tula.connect.queryport;

/** Is told what a client goes through, to count it. Called on the client's thread. */
public interface ClientObserver {
  /** Ignores everything. */
  ClientObserver NONE = new ClientObserver() {};

  /** An attempt failed and will be repeated. */
  default void onRetry(Exception error) {}

  /** A connection is open, to the node that will be read from. */
  default void onConnected(NodeAddress node) {}
}
