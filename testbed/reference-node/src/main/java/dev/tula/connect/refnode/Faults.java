package dev.tula.connect.refnode;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.wire.ErrorCode;
import dev.tula.connect.model.wire.Message.ErrorReply;
import dev.tula.connect.refnode.cluster.Cluster;
import dev.tula.connect.refnode.cluster.FaultSwitches;
import dev.tula.connect.refnode.server.NodeServer;
import java.util.List;
import java.util.Optional;

/**
 * Makes a cluster go wrong on purpose. None of it touches the ledger: the truth is the same with
 * and without. Safe for any thread.
 */
public final class Faults {
  private final Cluster cluster;
  private final List<NodeServer> servers;

  Faults(Cluster cluster, List<NodeServer> servers) {
    this.cluster = cluster;
    this.servers = servers;
  }

  /** The switches of the query port: torn and corrupt frames, delays, flags. */
  public FaultSwitches switches() {
    return cluster.faults();
  }

  /** Lets the next node lead, in a new term; with one node alone, the same in a new term. */
  public void changeLeader() {
    cluster.changeLeader();
  }

  /** Lets that node lead, in a new term. */
  public void changeLeader(int node) {
    cluster.changeLeader(node);
  }

  /**
   * Cuts the leader off from the other nodes: another one leads in a new term, and the old one
   * answers on in its own, with the history that it has.
   *
   * @return the number of the node that was cut off
   */
  public int cutOffLeader() {
    return cluster.cutOffLeader();
  }

  /** Lets that node see the others again. */
  public void reconnect(int node) {
    cluster.reconnect(node);
  }

  /** Lets a follower lag behind by so many batches. */
  public void lag(int node, long batches) {
    cluster.lag(node, batches);
  }

  /**
   * Reclaims up to a position, whatever is held or was acked.
   *
   * @throws IllegalArgumentException if it is no batch's end, above the head, or below the floor
   */
  public void advanceFloor(Position floor) {
    cluster.advanceFloor(floor);
  }

  /** Every lease is lost. */
  public void dropLeases() {
    cluster.dropLeases();
  }

  /** The next {@code count} FETCHes are answered with a group conflict of that sub-code. */
  public void groupConflict(int count, int subCode) {
    switches()
        .failFetches(
            count,
            ErrorReply.of(
                ErrorCode.ERR_EXPORT_GROUP_CONFLICT, subCode, "a conflict made on purpose"));
  }

  /** The next {@code count} FETCHes are answered with BUSY. */
  public void busy(int count, int retryAfterMs) {
    switches()
        .failFetches(
            count,
            new ErrorReply(
                ErrorCode.ERR_BUSY,
                0,
                "busy on purpose",
                "",
                Optional.empty(),
                Optional.empty(),
                retryAfterMs));
  }

  /** Ends every connection of every node. */
  public void dropConnections() {
    servers.forEach(NodeServer::dropConnections);
  }

  /** Stops a node: it is gone, with what it held in memory alone. */
  public void stopNode(int node) {
    servers.get(node).stop();
  }

  /** Starts a stopped node again, at its port. */
  public void startNode(int node) {
    servers.get(node).start();
  }

  /** Stops a node and starts it again at its port. */
  public void restartNode(int node) {
    stopNode(node);
    startNode(node);
  }
}
