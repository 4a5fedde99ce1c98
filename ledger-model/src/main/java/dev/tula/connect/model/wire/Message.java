package dev.tula.connect.model.wire;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A message of the query port, request or answer. Times are µs since the epoch; positions and
 * records as in the model.
 */
public sealed interface Message {

  /** The magic that a HELLO begins with. */
  int MAGIC = 'T' << 24 | 'U' << 16 | 'L' << 8 | 'A';

  /** The protocol version that this code speaks. */
  int VERSION = 1;

  /** The frame limit where nothing else was agreed: 16 MiB. */
  int DEFAULT_MAX_FRAME_BYTES = 16 << 20;

  /** The port that the engine listens on unless told otherwise. */
  int DEFAULT_PORT = 7800;

  /** The part that a node plays in its cluster. */
  enum Role {
    /** Accepts transfers, and the only one whose acks count. */
    LEADER,
    /** Follows the leader's log. */
    FOLLOWER,
    /** Stands for election. */
    CANDIDATE
  }

  /** What STATE lists. */
  enum StateKind {
    /** Accounts. */
    ACCOUNTS,
    /** Ledgers. */
    LEDGERS,
    /** Currencies. */
    CURRENCIES,
    /** Sources of transfers. */
    SOURCES,
    /** Members of the cluster. */
    CLUSTER
  }

  /**
   * Opens a connection.
   *
   * @param minVersion the lowest version that the client speaks
   * @param maxVersion the highest
   * @param clientName the owner of the client's leases
   * @param expectedClusterId refuses any other cluster, if given
   * @param maxFrameBytes the largest frame that the client accepts
   */
  record Hello(
      int minVersion,
      int maxVersion,
      String clientName,
      Optional<String> expectedClusterId,
      int maxFrameBytes)
      implements Message {
    /** Checks that the parts are there. */
    public Hello {
      Objects.requireNonNull(clientName, "clientName");
      Objects.requireNonNull(expectedClusterId, "expectedClusterId");
    }
  }

  /**
   * Answers HELLO.
   *
   * @param version the version that both will speak
   * @param clusterId the ledger cluster
   * @param nodeId this node
   * @param role what it is just now
   * @param term the leader's term as it knows it
   * @param leaderAddress {@code host:port} of the leader, empty where unknown
   * @param head the last committed position
   * @param maxFrameBytes the largest frame that the server accepts and sends
   * @param maxBatchRecords the most records that one batch may hold
   * @param serverTimeMicros the node's clock
   */
  record Welcome(
      int version,
      String clusterId,
      String nodeId,
      Role role,
      long term,
      String leaderAddress,
      Position head,
      int maxFrameBytes,
      int maxBatchRecords,
      long serverTimeMicros)
      implements Message {}

  /**
   * What a FETCH asks for beside its range.
   *
   * @param includeMetadata metadata changes too
   * @param fullRecord transactions with balances and digest
   * @param lease take or renew the pipeline's lease at {@code after}
   * @param group be counted as a member of the partition group
   * @param followerAllowed answer even if not the leader
   */
  record FetchOptions(
      boolean includeMetadata,
      boolean fullRecord,
      boolean lease,
      boolean group,
      boolean followerAllowed) {}

  /**
   * Asks for a page of committed records.
   *
   * @param pipeline the reader's name
   * @param generation its generation
   * @param partition the export partition
   * @param partitionCount of so many
   * @param after exclusive
   * @param until inclusive; equal to {@code after} asks only what is closed there
   * @param maxRecords at most so many records
   * @param maxBytes at most so many bytes of records, but at least one record
   * @param waitMs wait so long for something new before answering an empty page
   * @param options the rest
   */
  record Fetch(
      String pipeline,
      int generation,
      int partition,
      int partitionCount,
      Position after,
      Optional<Position> until,
      int maxRecords,
      int maxBytes,
      int waitMs,
      FetchOptions options)
      implements Message {}

  /**
   * The advisory flags of a page. None of them stops an export.
   *
   * @param leaseNotDurable the hold is in memory and won't survive a restart of that node
   * @param exportHoldReleased pressure or the maximum hold overrode the lease
   * @param noLease the lease table is full, and this page holds nothing
   */
  record PageFlags(boolean leaseNotDurable, boolean exportHoldReleased, boolean noLease) {
    /** No flag set. */
    public static final PageFlags NONE = new PageFlags(false, false, false);
  }

  /**
   * A partition group as the leader sees it.
   *
   * @param membersPresent members with a live lease
   * @param count members that belong to it; 0 where there is no group
   * @param minAck the lowest position that its members acked
   */
  record GroupStatus(int membersPresent, int count, Position minAck) {
    /** No group. */
    public static final GroupStatus NONE = new GroupStatus(0, 0, Position.ORIGIN);
  }

  /**
   * Answers FETCH. {@code coveredTo} says how far was scanned, whatever was found: the end of a
   * batch, or, where the page was cut inside a batch, its last record.
   *
   * @param term the term of the node that answers
   * @param coveredFrom exclusive; what was asked for
   * @param coveredTo inclusive
   * @param head the last committed position
   * @param reclaimFloor everything at or below it may be gone
   * @param closedThroughMicros every record with {@code recorded_at} at or before it lies at or
   *     below {@code coveredTo}
   * @param flags advisory
   * @param group the partition group, if there is one
   * @param records in order, each as canonical bytes
   */
  record Page(
      long term,
      Position coveredFrom,
      Position coveredTo,
      Position head,
      Position reclaimFloor,
      long closedThroughMicros,
      PageFlags flags,
      GroupStatus group,
      List<CanonicalRow> records)
      implements Message {}

  /**
   * Says that everything up to {@code through} is durable downstream.
   *
   * @param pipeline the reader's name
   * @param generation its generation
   * @param partition the export partition
   * @param partitionCount of so many
   * @param through inclusive
   * @param term the term that the client believes in
   */
  record Ack(
      String pipeline,
      int generation,
      int partition,
      int partitionCount,
      Position through,
      long term)
      implements Message {}

  /**
   * Answers ACK.
   *
   * @param creditedThrough what retention is credited with now
   */
  record Acked(Position creditedThrough) implements Message {}

  /**
   * Asks for the state as of a position.
   *
   * @param kind what to list
   * @param asOf the position
   * @param cursor empty at first, then the last answer's
   * @param maxRecords at most so many
   */
  record State(StateKind kind, Position asOf, String cursor, int maxRecords) implements Message {}

  /**
   * Answers STATE with seeded rows: change records with {@code change=seeded}, {@code
   * origin=bootstrap}.
   *
   * @param asOf the position that the state is of
   * @param records canonical bytes
   * @param nextCursor empty at the end
   */
  record StatePage(Position asOf, List<CanonicalRow> records, String nextCursor)
      implements Message {}

  /** Asks how the node is. Needs no role. */
  record Status() implements Message {}

  /**
   * One lease.
   *
   * @param pipeline whose
   * @param generation of which generation
   * @param partition of which export partition
   * @param partitionCount of so many
   * @param owner the client's name
   * @param holdsFrom the position held
   * @param ackedThrough the last ack
   * @param expiresInMs milliseconds to live
   */
  record LeaseStatus(
      String pipeline,
      int generation,
      int partition,
      int partitionCount,
      String owner,
      Position holdsFrom,
      Position ackedThrough,
      long expiresInMs) {}

  /**
   * One partition group.
   *
   * @param pipeline whose
   * @param generation of which generation
   * @param status the group
   */
  record NamedGroup(String pipeline, int generation, GroupStatus status) {}

  /**
   * Answers STATUS.
   *
   * @param role what the node is
   * @param term the term
   * @param leaderAddress {@code host:port}, empty where unknown
   * @param head the last committed position
   * @param reclaimFloor everything at or below it may be gone
   * @param leases every lease
   * @param groups every group
   */
  record StatusOk(
      Role role,
      long term,
      String leaderAddress,
      Position head,
      Position reclaimFloor,
      List<LeaseStatus> leases,
      List<NamedGroup> groups)
      implements Message {}

  /**
   * Answers anything that can't be answered otherwise.
   *
   * @param code what went wrong
   * @param subCode more of it, 0 where there is none
   * @param message for people
   * @param leaderAddress with ERR_NOT_LEADER, the leader if known, else empty
   * @param requested with ERR_EXPORT_RANGE_RECLAIMED, what was asked for
   * @param floor with ERR_EXPORT_RANGE_RECLAIMED, what is left begins after it
   * @param retryAfterMs with ERR_BUSY, the wait
   */
  record ErrorReply(
      ErrorCode code,
      int subCode,
      String message,
      String leaderAddress,
      Optional<Position> requested,
      Optional<Position> floor,
      int retryAfterMs)
      implements Message {
    /** An error that carries nothing but its message. */
    public static ErrorReply of(ErrorCode code, int subCode, String message) {
      return new ErrorReply(code, subCode, message, "", Optional.empty(), Optional.empty(), 0);
    }
  }
}
