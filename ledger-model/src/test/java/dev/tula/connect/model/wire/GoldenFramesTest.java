package dev.tula.connect.model.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.GoldenFile;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.wire.Message.Ack;
import dev.tula.connect.model.wire.Message.Acked;
import dev.tula.connect.model.wire.Message.ErrorReply;
import dev.tula.connect.model.wire.Message.Fetch;
import dev.tula.connect.model.wire.Message.FetchOptions;
import dev.tula.connect.model.wire.Message.GroupStatus;
import dev.tula.connect.model.wire.Message.Hello;
import dev.tula.connect.model.wire.Message.LeaseStatus;
import dev.tula.connect.model.wire.Message.NamedGroup;
import dev.tula.connect.model.wire.Message.Page;
import dev.tula.connect.model.wire.Message.PageFlags;
import dev.tula.connect.model.wire.Message.Role;
import dev.tula.connect.model.wire.Message.State;
import dev.tula.connect.model.wire.Message.StateKind;
import dev.tula.connect.model.wire.Message.StatePage;
import dev.tula.connect.model.wire.Message.Status;
import dev.tula.connect.model.wire.Message.StatusOk;
import dev.tula.connect.model.wire.Message.Welcome;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Holds every message to fixed bytes, which were not made by this codec. */
@DisplayName("Golden frames, version 1")
class GoldenFramesTest {
  private static final FrameCodec CODEC = new FrameCodec(Message.DEFAULT_MAX_FRAME_BYTES);
  private static final JsonNode GOLDEN = GoldenFile.read("frames-v1.json").get("frames");
  private static final long TIME = 1_767_225_600_000_000L;
  private static final Map<String, Frame> FRAMES = new HashMap<>();

  static {
    connection();
    fetches();
    pages();
    acksAndStates();
    status();
    errors();
  }

  private static void add(String name, long correlation, Message message) {
    FRAMES.put(name, new Frame(correlation, message));
  }

  private static Position end(long globalBatchSeq) {
    return Position.batchEnd(globalBatchSeq);
  }

  private static void connection() {
    add("hello", 1, new Hello(1, 1, "ledger-source-0", Optional.empty(), 16 << 20));
    add(
        "hello expecting a cluster",
        -1,
        new Hello(1, 3, "zürich/0", Optional.of("c1"), Integer.MAX_VALUE));
    add(
        "welcome",
        1,
        new Welcome(
            1, "c1", "node-1", Role.LEADER, 7, "10.0.0.1:7800", end(42), 16 << 20, 8190, TIME));
    add(
        "welcome from a candidate of an empty ledger",
        0,
        new Welcome(1, "c1", "node-3", Role.CANDIDATE, 0, "", Position.ORIGIN, 65536, 1, -1));
  }

  private static void fetches() {
    FetchOptions lease = new FetchOptions(false, false, true, false, false);
    FetchOptions all = new FetchOptions(true, true, true, true, true);
    add(
        "fetch",
        2,
        new Fetch("ledger", 1, 0, 1, Position.ORIGIN, Optional.empty(), 8000, 4 << 20, 500, lease));
    add(
        "fetch with every option, until a record",
        3,
        new Fetch("ledger", 2, 3, 4, end(41), Optional.of(new Position(42, 7)), 1, 1, 0, all));
  }

  private static void pages() {
    Position origin = Position.ORIGIN;
    add(
        "page, empty",
        2,
        new Page(
            7,
            origin,
            end(41),
            end(42),
            origin,
            TIME + 5,
            PageFlags.NONE,
            GroupStatus.NONE,
            List.of()));
    add(
        "page of two records, every flag, in a group",
        3,
        new Page(
            7,
            origin,
            new Position(1, 1),
            end(42),
            origin,
            Long.MIN_VALUE,
            new PageFlags(true, true, true),
            new GroupStatus(3, 4, end(40)),
            List.of(
                row("transaction: nothing optional"), row("transaction: rejected with a reason"))));
    PageFlags released = new PageFlags(false, true, false);
    add(
        "page whose hold was released",
        4,
        new Page(8, end(1), end(1), end(1), end(1), 0, released, GroupStatus.NONE, List.of()));
  }

  private static void acksAndStates() {
    add("ack", 5, new Ack("ledger", 1, 0, 1, end(41), 7));
    add("acked", 5, new Acked(end(41)));
    add("state of accounts", 6, new State(StateKind.ACCOUNTS, end(41), "", 1000));
    add("state of ledgers", 7, new State(StateKind.LEDGERS, end(41), "cursor-1", 1000));
    add("state of currencies", 8, new State(StateKind.CURRENCIES, end(41), "cursor-2", 1000));
    add("state of sources", 9, new State(StateKind.SOURCES, end(41), "cursor-3", 1000));
    add("state of cluster", 10, new State(StateKind.CLUSTER, end(41), "cursor-4", 1000));
    add(
        "state page",
        6,
        new StatePage(end(41), List.of(row("account change: everything, seeded")), "next"));
    add("state page, the last and empty", 7, new StatePage(end(41), List.of(), ""));
  }

  private static void status() {
    String leader = "10.0.0.1:7800";
    add("status", 11, new Status());
    add(
        "status ok, idle follower",
        11,
        new StatusOk(Role.FOLLOWER, 7, leader, end(42), end(3), List.of(), List.of()));
    LeaseStatus first = new LeaseStatus("ledger", 1, 0, 2, "worker-0", end(40), end(39), 30_000);
    LeaseStatus second =
        new LeaseStatus("ledger", 1, 1, 2, "worker-1", end(41), Position.ORIGIN, 0);
    NamedGroup group = new NamedGroup("ledger", 1, new GroupStatus(2, 2, end(39)));
    add(
        "status ok, with leases and a group",
        12,
        new StatusOk(
            Role.LEADER, 7, leader, end(42), end(3), List.of(first, second), List.of(group)));
  }

  private static void errors() {
    error(ErrorReply.of(ErrorCode.ERR_PROTOCOL, 0, "bad frame"));
    error(ErrorReply.of(ErrorCode.ERR_VERSION, 0, "versions 2 to 3 are not spoken here"));
    error(ErrorReply.of(ErrorCode.ERR_UNAUTHORIZED, 0, "the certificate lacks the exporter role"));
    error(
        new ErrorReply(
            ErrorCode.ERR_NOT_LEADER,
            0,
            "not the leader",
            "10.0.0.2:7800",
            Optional.empty(),
            Optional.empty(),
            0));
    error(ErrorReply.of(ErrorCode.ERR_CLUSTER_MISMATCH, 0, "this is cluster c2"));
    error(
        new ErrorReply(
            ErrorCode.ERR_EXPORT_RANGE_RECLAIMED,
            0,
            "reclaimed",
            "",
            Optional.of(new Position(5, 3)),
            Optional.of(end(9)),
            0));
    error(
        ErrorReply.of(
            ErrorCode.ERR_EXPORT_GROUP_CONFLICT, ErrorCode.GROUP_INDEX_TAKEN, "index 1 is taken"));
    error(
        new ErrorReply(
            ErrorCode.ERR_POSITION_AHEAD,
            0,
            "ahead of the head",
            "",
            Optional.of(end(50)),
            Optional.empty(),
            0));
    error(
        new ErrorReply(ErrorCode.ERR_BUSY, 0, "busy", "", Optional.empty(), Optional.empty(), 250));
    error(ErrorReply.of(ErrorCode.ERR_STALE_TERM, 0, "stale term"));
    error(
        new ErrorReply(
            ErrorCode.ERR_BAD_REQUEST,
            65535,
            "bad",
            "",
            Optional.empty(),
            Optional.empty(),
            Integer.MAX_VALUE));
  }

  private static void error(ErrorReply error) {
    add("error " + error.code().code(), 100 + error.code().code(), error);
  }

  private static CanonicalRow row(String name) {
    for (JsonNode row : GoldenFile.read("rows-v1.json").get("rows")) {
      if (row.get("name").textValue().equals(name)) {
        return CanonicalRow.of(HexFormat.of().parseHex(row.get("bytes").textValue()));
      }
    }
    throw new IllegalArgumentException("no golden row " + name);
  }

  static Stream<String> names() {
    return FRAMES.keySet().stream().sorted();
  }

  @ParameterizedTest
  @MethodSource("names")
  void encoding_makes_the_golden_bytes(String name) {
    Frame frame = FRAMES.get(name);
    assertThat(HexFormat.of().formatHex(CODEC.encode(frame.correlation(), frame.message())))
        .isEqualTo(GOLDEN.get(name).textValue());
  }

  @ParameterizedTest
  @MethodSource("names")
  void decoding_the_golden_bytes_finds_the_message(String name) {
    byte[] bytes = HexFormat.of().parseHex(GOLDEN.get(name).textValue());
    assertThat(CODEC.decode(bytes, FrameCodec.LENGTH_BYTES, bytes.length - FrameCodec.LENGTH_BYTES))
        .isEqualTo(FRAMES.get(name));
  }

  @Test
  void golden_frames_cover_every_message_error_and_enum_value() {
    assertThat(FRAMES.keySet()).containsExactlyInAnyOrderElementsOf(GOLDEN::fieldNames);
    assertThat(FRAMES.values().stream().map(frame -> frame.message().getClass().getName()))
        .containsAll(
            Arrays.stream(Message.class.getPermittedSubclasses()).map(Class::getName).toList());
    assertThat(messages(ErrorReply.class).map(ErrorReply::code))
        .containsAll(Arrays.asList(ErrorCode.values()));
    assertThat(messages(State.class).map(State::kind))
        .containsAll(Arrays.asList(StateKind.values()));
    assertThat(
            Stream.concat(
                messages(Welcome.class).map(Welcome::role),
                messages(StatusOk.class).map(StatusOk::role)))
        .containsAll(Arrays.asList(Role.values()));
  }

  private static <M> Stream<M> messages(Class<M> type) {
    return FRAMES.values().stream().map(Frame::message).filter(type::isInstance).map(type::cast);
  }
}
