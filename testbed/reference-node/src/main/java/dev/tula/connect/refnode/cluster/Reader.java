package dev.tula.connect.refnode.cluster;

import dev.tula.connect.model.Position;
import dev.tula.connect.refnode.history.RecordForm;

/**
 * What the leader knows of a reader: what it acked and in which term, in which term it last read
 * from the leader, and its lease if it has one. Guarded by the table that holds it.
 */
final class Reader {
  private final ReaderKey key;
  private long readTerm;
  private long ackTerm;
  private Position acked = Position.ORIGIN;
  private Lease lease;

  Reader(ReaderKey key) {
    this.key = key;
  }

  ReaderKey key() {
    return key;
  }

  void readIn(long term) {
    readTerm = Math.max(readTerm, term);
  }

  /** A new term begins without credit. */
  void ack(Position through, long term) {
    acked = term == ackTerm ? Position.max(acked, through) : through;
    ackTerm = term;
  }

  /** Whether it ever acked, in whatever term. */
  boolean hasAcked() {
    return ackTerm > 0;
  }

  /** What it acked in this term, if it also reads the leader in it. */
  Position credit(long term) {
    return ackTerm == term && readTerm == term ? acked : Position.ORIGIN;
  }

  /** What it acked in this term. */
  Position acked(long term) {
    return ackTerm == term ? acked : Position.ORIGIN;
  }

  Lease lease() {
    return lease;
  }

  void lease(Lease newLease) {
    lease = newLease;
  }

  /**
   * A lease.
   *
   * @param owner the client's name
   * @param holdsFrom the position it holds
   * @param group whether it makes its reader a member of the group
   * @param form what the member reads
   * @param grantedBy the node's number
   * @param durable whether it survives that node's restart
   * @param expiresAtNanos by the table's clock
   */
  record Lease(
      String owner,
      Position holdsFrom,
      boolean group,
      RecordForm form,
      int grantedBy,
      boolean durable,
      long expiresAtNanos) {}
}
