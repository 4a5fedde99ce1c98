package dev.tula.connect.source;

/** The connection that an export partition is read through. */
public interface ConnectionMetrics {
  /** The node; empty before the first page. */
  String getLeader();

  /** The term that it answers in. */
  long getTerm();

  /** Connections made. */
  long getConnectionsTotal();

  /** Attempts that failed and were repeated, with a node or, for the data topic, with a broker. */
  long getRetriesTotal();

  /** Among them, answers that broke the protocol. */
  long getProtocolErrorsTotal();

  /** How often another node was asked who leads, because the leader had nothing new. */
  long getLeaderProbesTotal();

  /** Among them, those that led to the leader of a newer term. */
  long getLeaderProbesNewerTermTotal();

  /** Among them, those that were not answered. */
  long getLeaderProbesFailedTotal();
}
