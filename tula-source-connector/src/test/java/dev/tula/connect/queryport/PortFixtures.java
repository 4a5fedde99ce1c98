package dev.tula.connect.queryport;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.wire.Frame;
import dev.tula.connect.model.wire.FrameCodec;
import dev.tula.connect.model.wire.Message;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** A client, its requests, and what servers that tests make answer it with. */
final class PortFixtures {
  static final FrameCodec CODEC = new FrameCodec(Message.DEFAULT_MAX_FRAME_BYTES);

  private PortFixtures() {}

  /** A client that is not connected. */
  static TcpQueryPort port(int requestTimeoutMs) {
    TcpQueryPort port = new TcpQueryPort();
    port.configure(
        Map.of(
            QueryPortConfig.HOSTS,
            "unused",
            QueryPortConfig.CLUSTER_ID,
            "c1",
            QueryPortConfig.REQUEST_TIMEOUT_MS,
            requestTimeoutMs));
    return port;
  }

  static Message.Fetch fetch(int waitMs) {
    return new Message.Fetch(
        "p",
        1,
        0,
        1,
        Position.ORIGIN,
        Optional.empty(),
        10,
        1_000,
        waitMs,
        new Message.FetchOptions(false, false, false, false, false));
  }

  static Message.Welcome welcome(int maxFrameBytes) {
    return new Message.Welcome(
        1, "c1", "n1", Message.Role.LEADER, 7, "", Position.batchEnd(9), maxFrameBytes, 100, 5);
  }

  static Message.Page page(int rows) {
    return new Message.Page(
        7,
        Position.ORIGIN,
        Position.batchEnd(1),
        Position.batchEnd(9),
        Position.ORIGIN,
        12,
        Message.PageFlags.NONE,
        Message.GroupStatus.NONE,
        IntStream.range(0, rows).mapToObj(index -> Rows.transaction(1, index)).toList());
  }

  /** The next frame that a client sent. */
  static Frame read(DataInputStream in) throws IOException {
    byte[] body = new byte[in.readInt()];
    in.readFully(body);
    return CODEC.decode(body, 0, body.length);
  }
}
