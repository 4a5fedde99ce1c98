package dev.tula.connect.model.wire;

import dev.tula.connect.model.wire.Message.Ack;
import dev.tula.connect.model.wire.Message.Fetch;
import dev.tula.connect.model.wire.Message.FetchOptions;
import dev.tula.connect.model.wire.Message.Hello;
import dev.tula.connect.model.wire.Message.State;
import dev.tula.connect.model.wire.Message.StateKind;

/** The payloads of requests, part by part. */
final class Requests {
  private static final int FETCH_OPTION_BITS = 5;

  private Requests() {}

  static void write(PayloadWriter out, Hello hello) {
    out.magic(Message.MAGIC);
    out.u16("min_version", hello.minVersion());
    out.u16("max_version", hello.maxVersion());
    out.string("client_name", hello.clientName());
    out.optional(hello.expectedClusterId(), id -> out.string("expected_cluster_id", id));
    out.u32("max_frame_bytes", hello.maxFrameBytes());
  }

  static Hello readHello(PayloadReader in) {
    in.magic(Message.MAGIC);
    return new Hello(
        in.u16("min_version"),
        in.u16("max_version"),
        in.string("client_name"),
        in.optional("expected_cluster_id", () -> in.string("expected_cluster_id")),
        in.u32("max_frame_bytes"));
  }

  static void write(PayloadWriter out, Fetch fetch) {
    out.string("pipeline", fetch.pipeline());
    out.u32("generation", fetch.generation());
    out.u32("partition", fetch.partition());
    out.u32("partition_count", fetch.partitionCount());
    out.position(fetch.after());
    out.optional(fetch.until(), out::position);
    out.u32("max_records", fetch.maxRecords());
    out.u32("max_bytes", fetch.maxBytes());
    out.u32("wait_ms", fetch.waitMs());
    FetchOptions options = fetch.options();
    out.bits(
        options.includeMetadata(),
        options.fullRecord(),
        options.lease(),
        options.group(),
        options.followerAllowed());
  }

  static Fetch readFetch(PayloadReader in) {
    return new Fetch(
        in.string("pipeline"),
        in.u32("generation"),
        in.u32("partition"),
        in.u32("partition_count"),
        in.position("after"),
        in.optional("until", () -> in.position("until")),
        in.u32("max_records"),
        in.u32("max_bytes"),
        in.u32("wait_ms"),
        readOptions(in));
  }

  private static FetchOptions readOptions(PayloadReader in) {
    int bits = in.bits("options", FETCH_OPTION_BITS);
    return new FetchOptions(
        PayloadReader.bit(bits, 0),
        PayloadReader.bit(bits, 1),
        PayloadReader.bit(bits, 2),
        PayloadReader.bit(bits, 3),
        PayloadReader.bit(bits, 4));
  }

  static void write(PayloadWriter out, Ack ack) {
    out.string("pipeline", ack.pipeline());
    out.u32("generation", ack.generation());
    out.u32("partition", ack.partition());
    out.u32("partition_count", ack.partitionCount());
    out.position(ack.through());
    out.u64("term", ack.term());
  }

  static Ack readAck(PayloadReader in) {
    return new Ack(
        in.string("pipeline"),
        in.u32("generation"),
        in.u32("partition"),
        in.u32("partition_count"),
        in.position("through"),
        in.u64("term"));
  }

  static void write(PayloadWriter out, State state) {
    out.u8("kind", code(state.kind()));
    out.position(state.asOf());
    out.string("cursor", state.cursor());
    out.u32("max_records", state.maxRecords());
  }

  static State readState(PayloadReader in) {
    return new State(
        readStateKind(in), in.position("as_of"), in.string("cursor"), in.u32("max_records"));
  }

  /** The number of a kind of state is that of the change records that seed it. */
  private static int code(StateKind kind) {
    return switch (kind) {
      case ACCOUNTS -> 2;
      case LEDGERS -> 3;
      case CURRENCIES -> 4;
      case SOURCES -> 5;
      case CLUSTER -> 6;
    };
  }

  private static StateKind readStateKind(PayloadReader in) {
    int code = in.u8("kind");
    for (StateKind kind : StateKind.values()) {
      if (code(kind) == code) {
        return kind;
      }
    }
    throw in.fault("kind", code + " does not exist");
  }
}
