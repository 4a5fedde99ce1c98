package dev.tula.connect.refnode;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.wire.Frame;
import dev.tula.connect.model.wire.FrameCodec;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.model.wire.Message.Fetch;
import dev.tula.connect.model.wire.Message.FetchOptions;
import dev.tula.connect.model.wire.Message.Hello;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A client of the query port that asks one thing at a time. */
final class TestClient implements AutoCloseable {
  static final FetchOptions PLAIN = new FetchOptions(false, false, false, false, false);
  static final FetchOptions METADATA = new FetchOptions(true, false, false, false, false);
  static final FetchOptions FULL = new FetchOptions(true, true, false, false, false);
  static final FetchOptions LEASE = new FetchOptions(false, false, true, false, false);
  static final FetchOptions GROUP = new FetchOptions(false, false, true, true, false);
  static final FetchOptions FOLLOWER = new FetchOptions(false, false, false, false, true);

  private final Socket socket;
  private final DataInputStream in;
  private final FrameCodec codec = new FrameCodec(Message.DEFAULT_MAX_FRAME_BYTES);
  private long correlation;
  private boolean closedByServer;

  private TestClient(String address) throws IOException {
    int colon = address.lastIndexOf(':');
    socket =
        new Socket(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
    socket.setSoTimeout(60_000);
    in = new DataInputStream(socket.getInputStream());
  }

  static TestClient raw(String address) {
    try {
      return new TestClient(address);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static TestClient connect(String address, String name) {
    TestClient client = raw(address);
    client.ask(hello(name, Message.DEFAULT_MAX_FRAME_BYTES));
    return client;
  }

  static Hello hello(String name, int maxFrameBytes) {
    return new Hello(Message.VERSION, Message.VERSION, name, Optional.empty(), maxFrameBytes);
  }

  /** Sends a request and waits for its answer. */
  Message ask(Message request) {
    long sent = send(request);
    Frame answer = receive();
    if (answer.correlation() != sent) {
      throw new IllegalStateException("answer to " + answer.correlation() + ", not to " + sent);
    }
    return answer.message();
  }

  <T extends Message> T ask(Message request, Class<T> answer) {
    return answer.cast(ask(request));
  }

  long send(Message request) {
    correlation++;
    write(codec.encode(correlation, request));
    return correlation;
  }

  /** Sends one more byte, after a while; false once the node has hung up. */
  boolean drips() {
    try {
      TimeUnit.MILLISECONDS.sleep(5);
      socket.getOutputStream().write(0);
      return true;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("the node let it drip", e);
    }
  }

  void write(byte[] bytes) {
    try {
      socket.getOutputStream().write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Frame receive() {
    try {
      byte[] body = new byte[codec.checkedLength(in.readInt())];
      in.readFully(body);
      return codec.decode(body, 0, body.length);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void shutdownOutput() {
    try {
      socket.shutdownOutput();
    } catch (IOException e) {
      // The server was faster, and closed the connection.
      closedByServer = true;
    }
  }

  /** Reads until the server ends the connection. */
  void drain() {
    byte[] buffer = new byte[1 << 16];
    try {
      while (in.read(buffer) >= 0) {
        // Whatever it says.
      }
    } catch (IOException e) {
      closedByServer = true;
    }
  }

  /** Whether the server ended the connection, having said nothing more. */
  boolean isClosedByServer() {
    try {
      closedByServer |= in.read() < 0;
    } catch (SocketException e) {
      closedByServer = true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return closedByServer;
  }

  static Fetch fetch(Position after, FetchOptions options) {
    return fetch(0, 1, after, options);
  }

  static Fetch fetch(int partition, int count, Position after, FetchOptions options) {
    return new Fetch(
        "p", 1, partition, count, after, Optional.empty(), 10_000, 1 << 20, 0, options);
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
