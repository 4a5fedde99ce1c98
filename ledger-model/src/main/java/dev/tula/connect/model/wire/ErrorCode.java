package dev.tula.connect.model.wire;

/** The errors of the query port. */
public enum ErrorCode {
  /** The frames make no sense. */
  ERR_PROTOCOL(1),
  /** No version in common. */
  ERR_VERSION(2),
  /** The certificate lacks the exporter role. */
  ERR_UNAUTHORIZED(3),
  /** This node does not lead. */
  ERR_NOT_LEADER(4),
  /** Another cluster than expected. */
  ERR_CLUSTER_MISMATCH(5),
  /** The range asked for is gone. */
  ERR_EXPORT_RANGE_RECLAIMED(6),
  /** The partition group or its leases are in the way; the sub-code says how. */
  ERR_EXPORT_GROUP_CONFLICT(7),
  /** The cursor is above the head. */
  ERR_POSITION_AHEAD(8),
  /** Later, please. */
  ERR_BUSY(9),
  /** An ack for an older term. */
  ERR_STALE_TERM(10),
  /** A request that can never be answered. */
  ERR_BAD_REQUEST(11);

  /** Sub-code of a group conflict: the partition count differs. */
  public static final int GROUP_COUNT_DIFFERS = 1;

  /** Sub-code of a group conflict: another owner holds this index. */
  public static final int GROUP_INDEX_TAKEN = 2;

  /** Sub-code of a group conflict: the members' options differ. */
  public static final int GROUP_OPTION_MISMATCH = 3;

  /** Sub-code of a group conflict: no room in the lease table. */
  public static final int GROUP_LEASE_TABLE_FULL = 4;

  /** Sub-code of a group conflict: the group belongs to another leader. */
  public static final int GROUP_NOT_THE_LEADERS = 5;

  private final int code;

  ErrorCode(int code) {
    this.code = code;
  }

  /** The number on the wire. */
  public int code() {
    return code;
  }
}
