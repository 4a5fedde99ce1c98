package dev.tula.connect.queryport;

import dev.tula.connect.model.wire.ErrorCode;
import dev.tula.connect.model.wire.Frame;
import dev.tula.connect.model.wire.FrameCodec;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.model.wire.ProtocolException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLException;

/**
 * The query port over TCP or TLS, with blocking sockets: one request, one answer. The deadline of a
 * call holds for the whole answer, and under TLS for the handshake and each of its records too, so
 * that a peer that drips bytes can't stretch it. An answer's length is held against the limit
 * first, and memory is taken for it only as its bytes arrive: what a peer claims costs nothing.
 */
public final class TcpQueryPort implements QueryPort {
  /** A node has nothing long to say before both sides agreed on a frame size. */
  private static final int HANDSHAKE_MAX_FRAME_BYTES = 64 << 10;

  /** What is taken for an answer before any of it has come. */
  private static final int FIRST_CHUNK_BYTES = 64 << 10;

  private QueryPortConfig config;
  private SocketConnector connector;
  private NodeAddress node;
  private FrameCodec codec = new FrameCodec(HANDSHAKE_MAX_FRAME_BYTES);
  private long lastCorrelation;
  private final byte[] lengthBytes = new byte[FrameCodec.LENGTH_BYTES];

  private Socket socket;
  private volatile DeadlineSocket raw;
  private volatile boolean closed;

  /** To be configured. */
  public TcpQueryPort() {}

  @Override
  public void configure(Map<String, ?> properties) {
    config = new QueryPortConfig(properties);
    connector = SocketConnector.of(config);
  }

  @Override
  public Message.Welcome open(NodeAddress address, String clientName, Optional<String> clusterId)
      throws QueryPortException {
    node = address;
    Deadline deadline = Deadline.in(config.requestTimeoutMs());
    connect(deadline);
    Message.Hello hello =
        new Message.Hello(
            Message.VERSION, Message.VERSION, clientName, clusterId, config.maxFrameBytes());
    Message.Welcome welcome = exchange(hello, Message.Welcome.class, deadline);
    codec = new FrameCodec(negotiatedFrameBytes(welcome));
    return welcome;
  }

  private int negotiatedFrameBytes(Message.Welcome welcome) throws QueryPortException {
    if (welcome.maxFrameBytes() < FrameCodec.MIN_FRAME_BYTES) {
      close();
      throw new QueryPortException(
          node + " offers frames of " + welcome.maxFrameBytes() + " bytes, which hold nothing");
    }
    return Math.min(config.maxFrameBytes(), welcome.maxFrameBytes());
  }

  private void connect(Deadline deadline) throws QueryPortException {
    DeadlineSocket fresh = new DeadlineSocket();
    raw = fresh;
    socket = fresh;
    fresh.deadline(deadline);
    try {
      if (closed) {
        throw new IOException("closed before it was connected");
      }
      fresh.setTcpNoDelay(true);
      fresh.setKeepAlive(true);
      InetSocketAddress target = new InetSocketAddress(node.host(), node.port());
      if (target.isUnresolved()) {
        throw new UnknownHostException("the name " + node.host() + " is not known");
      }
      fresh.connect(target, deadline.remainingMs());
      socket = connector.secure(fresh, node);
      if (closed) {
        throw new IOException("closed while it connected");
      }
    } catch (TlsRefusedException e) {
      close();
      throw e;
    } catch (IOException e) {
      close();
      throw new QueryPortException("can't connect to " + node + ": " + e.getMessage(), e);
    }
  }

  @Override
  public Message.Page fetch(Message.Fetch request) throws QueryPortException {
    long limitMs = (long) request.waitMs() + config.requestTimeoutMs();
    return exchange(request, Message.Page.class, Deadline.in(limitMs));
  }

  @Override
  public Message.Acked ack(Message.Ack request) throws QueryPortException {
    return exchange(request, Message.Acked.class, Deadline.in(config.requestTimeoutMs()));
  }

  @Override
  public Message.StatePage state(Message.State request) throws QueryPortException {
    return exchange(request, Message.StatePage.class, Deadline.in(config.requestTimeoutMs()));
  }

  @Override
  public Message.StatusOk status() throws QueryPortException {
    Message.Status request = new Message.Status();
    return exchange(request, Message.StatusOk.class, Deadline.in(config.requestTimeoutMs()));
  }

  private <T extends Message> T exchange(Message request, Class<T> answer, Deadline deadline)
      throws QueryPortException {
    Message reply = roundTrip(request, deadline);
    if (reply instanceof Message.ErrorReply error) {
      if (error.code() == ErrorCode.ERR_PROTOCOL) {
        close();
      }
      throw new ErrorReplyException(node, error);
    }
    if (!answer.isInstance(reply)) {
      close();
      throw broken(
          new ProtocolException(
              nameOf(request.getClass()) + " was answered with " + nameOf(reply.getClass())));
    }
    return answer.cast(reply);
  }

  private static String nameOf(Class<?> type) {
    return type.getSimpleName();
  }

  private Message roundTrip(Message request, Deadline deadline) throws QueryPortException {
    Socket open = socket;
    if (closed || open == null) {
      throw new QueryPortException("the connection to " + node + " is closed");
    }
    long correlation = ++lastCorrelation;
    try {
      raw.deadline(deadline);
      send(open.getOutputStream(), codec.encode(correlation, request));
      Frame frame = receive(open.getInputStream());
      if (frame.correlation() != correlation && !isProtocolError(frame.message())) {
        throw new ProtocolException(
            "answer " + frame.correlation() + " came where " + correlation + " was awaited");
      }
      return frame.message();
    } catch (ProtocolException e) {
      close();
      throw broken(e);
    } catch (IOException e) {
      close();
      if (e instanceof SSLException ssl && TlsRefusedException.isRefusal(ssl)) {
        throw TlsRefusedException.of(node, ssl);
      }
      throw new QueryPortException("lost the connection to " + node + ": " + e.getMessage(), e);
    }
  }

  /** A node that could not read a request's correlation can't repeat it. */
  private static boolean isProtocolError(Message message) {
    return message instanceof Message.ErrorReply error && error.code() == ErrorCode.ERR_PROTOCOL;
  }

  private QueryPortException broken(ProtocolException e) {
    return new QueryPortException(
        node + " broke the protocol: " + e.getMessage() + ForeignProtocol.guess(lengthBytes), e);
  }

  /** Requests are small and answered one by one, so that a write always finds room and returns. */
  private static void send(OutputStream out, byte[] frame) throws IOException {
    out.write(frame);
    out.flush();
  }

  private Frame receive(InputStream in) throws IOException {
    readFully(in, lengthBytes, 0, lengthBytes.length);
    int length = codec.checkedLength(ByteBuffer.wrap(lengthBytes).getInt());
    byte[] body = new byte[Math.min(length, FIRST_CHUNK_BYTES)];
    readFully(in, body, 0, body.length);
    while (body.length < length) {
      int from = body.length;
      body = Arrays.copyOf(body, (int) Math.min(length, 2L * from));
      readFully(in, body, from, body.length);
    }
    return codec.decode(body, 0, length);
  }

  private static void readFully(InputStream in, byte[] into, int from, int to) throws IOException {
    int at = from;
    while (at < to) {
      int count = in.read(into, at, to - at);
      if (count < 0) {
        throw new EOFException(
            "the node closed it" + (at == 0 ? "" : " in the middle of an answer"));
      }
      at += count;
    }
  }

  /** Ends the TCP connection itself: TLS on top of it would first wait to say goodbye. */
  @Override
  public void close() {
    closed = true;
    Socket open = raw;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        // Nothing was to be had from it any more, and nobody can act on this.
        return;
      }
    }
  }
}
