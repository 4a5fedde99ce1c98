package dev.tula.connect.source;

/** The connection that an export partition is read through. */
public interface ConnectionMetrics {
  /** The node; empty before the first page. */
  String getLeader();

  /** The term that it answers in. */
  long getTerm();

  /** Connections made. */
  long getConnectionsTotal();

  /** Attempts that failed and were repeated. */
  long getRetriesTotal();

  /** Among them, answers that broke the protocol. */
  long getProtocolErrorsTotal();
}
