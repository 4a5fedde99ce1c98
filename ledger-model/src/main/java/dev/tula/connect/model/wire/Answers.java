package dev.tula.connect.model.wire;

import dev.tula.connect.model.wire.Message.Acked;
import dev.tula.connect.model.wire.Message.ErrorReply;
import dev.tula.connect.model.wire.Message.GroupStatus;
import dev.tula.connect.model.wire.Message.LeaseStatus;
import dev.tula.connect.model.wire.Message.NamedGroup;
import dev.tula.connect.model.wire.Message.Page;
import dev.tula.connect.model.wire.Message.PageFlags;
import dev.tula.connect.model.wire.Message.Role;
import dev.tula.connect.model.wire.Message.StatePage;
import dev.tula.connect.model.wire.Message.StatusOk;
import dev.tula.connect.model.wire.Message.Welcome;

/** The payloads of answers, part by part. */
final class Answers {
  private static final int PAGE_FLAG_BITS = 3;

  // What an item of each list takes when its strings are empty.
  private static final int MIN_ROW_BYTES = PayloadWriter.ROW_LENGTH_BYTES;
  private static final int MIN_LEASE_BYTES = 48;
  private static final int MIN_GROUP_BYTES = 26;

  private Answers() {}

  static void write(PayloadWriter out, Welcome welcome) {
    out.u16("version", welcome.version());
    out.string("cluster_id", welcome.clusterId());
    out.string("node_id", welcome.nodeId());
    out.u8("role", code(welcome.role()));
    out.u64("term", welcome.term());
    out.string("leader_address", welcome.leaderAddress());
    out.position(welcome.head());
    out.u32("max_frame_bytes", welcome.maxFrameBytes());
    out.u32("max_batch_records", welcome.maxBatchRecords());
    out.timeMicros(welcome.serverTimeMicros());
  }

  static Welcome readWelcome(PayloadReader in) {
    return new Welcome(
        in.u16("version"),
        in.string("cluster_id"),
        in.string("node_id"),
        readRole(in),
        in.u64("term"),
        in.string("leader_address"),
        in.position("head"),
        in.u32("max_frame_bytes"),
        in.u32("max_batch_records"),
        in.timeMicros("server_time"));
  }

  static void write(PayloadWriter out, Page page) {
    out.u64("term", page.term());
    out.position(page.coveredFrom());
    out.position(page.coveredTo());
    out.position(page.head());
    out.position(page.reclaimFloor());
    out.timeMicros(page.closedThroughMicros());
    PageFlags flags = page.flags();
    out.bits(flags.leaseNotDurable(), flags.exportHoldReleased(), flags.noLease());
    write(out, page.group());
    out.list(page.records(), out::row);
  }

  static Page readPage(PayloadReader in) {
    return new Page(
        in.u64("term"),
        in.position("covered_from"),
        in.position("covered_to"),
        in.position("head"),
        in.position("reclaim_floor"),
        in.timeMicros("closed_through"),
        readPageFlags(in),
        readGroup(in),
        in.list("records", MIN_ROW_BYTES, in::row));
  }

  private static PageFlags readPageFlags(PayloadReader in) {
    int bits = in.bits("flags", PAGE_FLAG_BITS);
    return new PageFlags(
        PayloadReader.bit(bits, 0), PayloadReader.bit(bits, 1), PayloadReader.bit(bits, 2));
  }

  private static void write(PayloadWriter out, GroupStatus group) {
    out.u32("group.members_present", group.membersPresent());
    out.u32("group.count", group.count());
    out.position(group.minAck());
  }

  private static GroupStatus readGroup(PayloadReader in) {
    return new GroupStatus(
        in.u32("group.members_present"), in.u32("group.count"), in.position("group.min_ack"));
  }

  static void write(PayloadWriter out, Acked acked) {
    out.position(acked.creditedThrough());
  }

  static Acked readAcked(PayloadReader in) {
    return new Acked(in.position("credited_through"));
  }

  static void write(PayloadWriter out, StatePage page) {
    out.position(page.asOf());
    out.list(page.records(), out::row);
    out.string("next_cursor", page.nextCursor());
  }

  static StatePage readStatePage(PayloadReader in) {
    return new StatePage(
        in.position("as_of"), in.list("records", MIN_ROW_BYTES, in::row), in.string("next_cursor"));
  }

  static void write(PayloadWriter out, StatusOk status) {
    out.u8("role", code(status.role()));
    out.u64("term", status.term());
    out.string("leader_address", status.leaderAddress());
    out.position(status.head());
    out.position(status.reclaimFloor());
    out.list(status.leases(), lease -> write(out, lease));
    out.list(status.groups(), group -> write(out, group));
  }

  static StatusOk readStatusOk(PayloadReader in) {
    return new StatusOk(
        readRole(in),
        in.u64("term"),
        in.string("leader_address"),
        in.position("head"),
        in.position("reclaim_floor"),
        in.list("leases", MIN_LEASE_BYTES, index -> readLease(in)),
        in.list("groups", MIN_GROUP_BYTES, index -> readNamedGroup(in)));
  }

  private static void write(PayloadWriter out, LeaseStatus lease) {
    out.string("lease.pipeline", lease.pipeline());
    out.u32("lease.generation", lease.generation());
    out.u32("lease.partition", lease.partition());
    out.u32("lease.partition_count", lease.partitionCount());
    out.string("lease.owner", lease.owner());
    out.position(lease.holdsFrom());
    out.position(lease.ackedThrough());
    out.u64("lease.expires_in_ms", lease.expiresInMs());
  }

  private static LeaseStatus readLease(PayloadReader in) {
    return new LeaseStatus(
        in.string("lease.pipeline"),
        in.u32("lease.generation"),
        in.u32("lease.partition"),
        in.u32("lease.partition_count"),
        in.string("lease.owner"),
        in.position("lease.holds_from"),
        in.position("lease.acked_through"),
        in.u64("lease.expires_in_ms"));
  }

  private static void write(PayloadWriter out, NamedGroup group) {
    out.string("group.pipeline", group.pipeline());
    out.u32("group.generation", group.generation());
    write(out, group.status());
  }

  private static NamedGroup readNamedGroup(PayloadReader in) {
    return new NamedGroup(in.string("group.pipeline"), in.u32("group.generation"), readGroup(in));
  }

  static void write(PayloadWriter out, ErrorReply error) {
    out.u16("code", error.code().code());
    out.u16("sub_code", error.subCode());
    out.string("message", error.message());
    out.string("leader_address", error.leaderAddress());
    out.optional(error.requested(), out::position);
    out.optional(error.floor(), out::position);
    out.u32("retry_after_ms", error.retryAfterMs());
  }

  static ErrorReply readError(PayloadReader in) {
    return new ErrorReply(
        readErrorCode(in),
        in.u16("sub_code"),
        in.string("message"),
        in.string("leader_address"),
        in.optional("requested", () -> in.position("requested")),
        in.optional("floor", () -> in.position("floor")),
        in.u32("retry_after_ms"));
  }

  private static ErrorCode readErrorCode(PayloadReader in) {
    int code = in.u16("code");
    for (ErrorCode known : ErrorCode.values()) {
      if (known.code() == code) {
        return known;
      }
    }
    throw in.fault("code", code + " does not exist");
  }

  private static int code(Role role) {
    return switch (role) {
      case LEADER -> 1;
      case FOLLOWER -> 2;
      case CANDIDATE -> 3;
    };
  }

  private static Role readRole(PayloadReader in) {
    int code = in.u8("role");
    for (Role role : Role.values()) {
      if (code(role) == code) {
        return role;
      }
    }
    throw in.fault("role", code + " does not exist");
  }
}
