package dev.tula.connect.queryport;

import static dev.tula.connect.queryport.PortFixtures.CODEC;
import static dev.tula.connect.queryport.PortFixtures.fetch;
import static dev.tula.connect.queryport.PortFixtures.page;
import static dev.tula.connect.queryport.PortFixtures.port;
import static dev.tula.connect.queryport.PortFixtures.read;
import static dev.tula.connect.queryport.PortFixtures.welcome;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.wire.ErrorCode;
import dev.tula.connect.model.wire.Frame;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.model.wire.ProtocolException;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Against a server that says byte for byte what a test wants. */
@Timeout(300)
class TcpQueryPortTest {
  private static final int REQUEST_TIMEOUT_MS = 30_000;
  private static final int SHORT_REQUEST_TIMEOUT_MS = 2_000;

  private final ScriptedServer server = new ScriptedServer();

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void a_page_comes_as_it_was_sent() throws Exception {
    Message.Page page = page(2);
    server.answer(welcome(1 << 20)).answer(page);
    try (TcpQueryPort port = port(REQUEST_TIMEOUT_MS)) {
      assertThat(open(port)).isEqualTo(welcome(1 << 20));
      assertThat(port.fetch(fetch(0))).isEqualTo(page);
    }
    assertThat(server.requests()).hasSize(2).first().isInstanceOf(Message.Hello.class);
    assertThat(((Message.Hello) server.requests().get(0)).expectedClusterId()).contains("c1");
  }

  @Test
  void an_answer_to_another_request_is_refused() throws Exception {
    server.answer(welcome(1 << 20)).raw(correlation -> CODEC.encode(correlation + 1, page(2)));
    assertBroken("answer 3 came where 2 was awaited");
  }

  @Test
  void an_answer_of_another_kind_is_refused() throws Exception {
    server.answer(welcome(1 << 20)).answer(new Message.Acked(Position.ORIGIN));
    assertBroken("Fetch was answered with Acked");
  }

  @Test
  void a_torn_checksum_is_refused() throws Exception {
    server
        .answer(welcome(1 << 20))
        .raw(
            correlation -> {
              byte[] frame = CODEC.encode(correlation, page(2));
              frame[frame.length - 1] ^= 1;
              return frame;
            });
    assertBroken("crc32c");
  }

  @Test
  void a_giant_length_is_refused_before_anything_is_allocated() throws Exception {
    server
        .answer(welcome(1 << 20))
        .raw(correlation -> ByteBuffer.allocate(4).putInt(0x7fffffff).array());
    assertBroken("above the maximum of 1048576");
  }

  @Test
  void before_the_welcome_no_long_frame_is_accepted() throws Exception {
    server.raw(correlation -> ByteBuffer.allocate(4).putInt(1 << 20).array());
    try (TcpQueryPort port = port(REQUEST_TIMEOUT_MS)) {
      assertThatExceptionOfType(QueryPortException.class)
          .isThrownBy(() -> open(port))
          .withMessageContaining("above the maximum of 65536");
    }
  }

  @Test
  void a_server_of_another_protocol_is_refused() throws Exception {
    server.raw(
        correlation -> "HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    try (TcpQueryPort port = port(REQUEST_TIMEOUT_MS)) {
      assertThatExceptionOfType(QueryPortException.class)
          .isThrownBy(() -> open(port))
          .withMessageContaining("broke the protocol")
          .withCauseInstanceOf(ProtocolException.class);
    }
  }

  @Test
  void a_server_that_closes_in_the_middle_is_noticed() throws Exception {
    server
        .answer(welcome(1 << 20))
        .raw(
            correlation -> {
              byte[] frame = CODEC.encode(correlation, page(2));
              return Arrays.copyOf(frame, frame.length / 2);
            })
        .hangUp();
    try (TcpQueryPort port = port(REQUEST_TIMEOUT_MS)) {
      open(port);
      assertThatExceptionOfType(QueryPortException.class)
          .isThrownBy(() -> port.fetch(fetch(0)))
          .withMessageContaining("in the middle of an answer");
    }
  }

  @Test
  void a_server_that_drips_bytes_can_not_stretch_the_deadline() throws Exception {
    server.answer(welcome(1 << 20)).drip(correlation -> CODEC.encode(correlation, page(2)), 50);
    try (TcpQueryPort port = port(SHORT_REQUEST_TIMEOUT_MS)) {
      open(port);
      assertThatExceptionOfType(QueryPortException.class)
          .isThrownBy(() -> port.fetch(fetch(0)))
          .withCauseInstanceOf(SocketTimeoutException.class);
    }
  }

  @Test
  void a_silent_server_is_left_after_the_wait_and_the_time_out() throws Exception {
    server.answer(welcome(1 << 20));
    try (TcpQueryPort port = port(SHORT_REQUEST_TIMEOUT_MS)) {
      open(port);
      long startedNanos = System.nanoTime();
      assertThatExceptionOfType(QueryPortException.class).isThrownBy(() -> port.fetch(fetch(100)));
      assertThat((System.nanoTime() - startedNanos) / 1_000_000)
          .as("the node may use its wait in full")
          .isGreaterThanOrEqualTo(100 + SHORT_REQUEST_TIMEOUT_MS - 1);
      assertThatExceptionOfType(QueryPortException.class)
          .isThrownBy(() -> port.status())
          .withMessageContaining("closed");
    }
  }

  @Test
  void an_error_answer_leaves_the_connection_usable() throws Exception {
    server
        .answer(welcome(1 << 20))
        .answer(Message.ErrorReply.of(ErrorCode.ERR_BUSY, 0, "later"))
        .answer(page(2));
    try (TcpQueryPort port = port(REQUEST_TIMEOUT_MS)) {
      open(port);
      assertThatExceptionOfType(ErrorReplyException.class)
          .isThrownBy(() -> port.fetch(fetch(0)))
          .satisfies(e -> assertThat(e.reply().code()).isEqualTo(ErrorCode.ERR_BUSY));
      assertThat(port.fetch(fetch(0))).isEqualTo(page(2));
    }
  }

  @Test
  void a_protocol_error_that_the_server_reports_ends_the_connection() throws Exception {
    server
        .answer(welcome(1 << 20))
        .raw(
            correlation ->
                CODEC.encode(0, Message.ErrorReply.of(ErrorCode.ERR_PROTOCOL, 0, "what?")));
    try (TcpQueryPort port = port(REQUEST_TIMEOUT_MS)) {
      open(port);
      assertThatExceptionOfType(ErrorReplyException.class).isThrownBy(() -> port.fetch(fetch(0)));
      assertThatExceptionOfType(QueryPortException.class)
          .isThrownBy(() -> port.fetch(fetch(0)))
          .withMessageContaining("closed");
    }
  }

  @Test
  void closing_from_another_thread_ends_a_read_that_waits() throws Exception {
    server.answer(welcome(1 << 20));
    TcpQueryPort port = port(REQUEST_TIMEOUT_MS);
    open(port);
    Thread closer =
        new Thread(
            () -> {
              server.awaitRequests(2);
              port.close();
            });
    closer.start();
    assertThatExceptionOfType(QueryPortException.class).isThrownBy(() -> port.fetch(fetch(20_000)));
    closer.join();
  }

  @Test
  void nobody_there_is_said_with_the_address() throws Exception {
    int unused;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      unused = socket.getLocalPort();
    }
    try (TcpQueryPort port = port(REQUEST_TIMEOUT_MS)) {
      assertThatExceptionOfType(QueryPortException.class)
          .isThrownBy(() -> port.open(new NodeAddress("127.0.0.1", unused), "me", Optional.empty()))
          .withMessageContaining("can't connect to 127.0.0.1:" + unused);
    }
  }

  private void assertBroken(String words) throws Exception {
    try (TcpQueryPort port = port(REQUEST_TIMEOUT_MS)) {
      open(port);
      assertThatExceptionOfType(QueryPortException.class)
          .isThrownBy(() -> port.fetch(fetch(0)))
          .withMessageContaining(words)
          .withCauseInstanceOf(ProtocolException.class);
      assertThatExceptionOfType(QueryPortException.class)
          .isThrownBy(() -> port.status())
          .withMessageContaining("closed");
    }
  }

  private Message.Welcome open(TcpQueryPort port) throws QueryPortException {
    return port.open(server.address(), "me", Optional.of("c1"));
  }

  /** Serves one connection, one scripted answer for each request. */
  private static final class ScriptedServer implements AutoCloseable {
    private interface Answer {
      byte[] bytes(long correlation);
    }

    private record Step(Answer answer, long dripMs, boolean hangUp) {}

    private final ServerSocket listener;
    private final List<Step> steps = new CopyOnWriteArrayList<>();
    private final List<Message> requests = new CopyOnWriteArrayList<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = new Thread(this::serve, "scripted-server");

    ScriptedServer() {
      try {
        listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
      thread.setDaemon(true);
      thread.start();
    }

    NodeAddress address() {
      return new NodeAddress("127.0.0.1", listener.getLocalPort());
    }

    ScriptedServer answer(Message message) {
      return raw(correlation -> CODEC.encode(correlation, message));
    }

    ScriptedServer raw(Answer answer) {
      steps.add(new Step(answer, 0, false));
      return this;
    }

    ScriptedServer drip(Answer answer, long everyMs) {
      steps.add(new Step(answer, everyMs, false));
      return this;
    }

    ScriptedServer hangUp() {
      Step last = steps.remove(steps.size() - 1);
      steps.add(new Step(last.answer(), 0, true));
      return this;
    }

    List<Message> requests() {
      return requests;
    }

    void awaitRequests(int count) {
      while (requests.size() < count) {
        Thread.onSpinWait();
      }
    }

    private void serve() {
      try (Socket socket = listener.accept()) {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        OutputStream out = socket.getOutputStream();
        for (int i = 0; ; i++) {
          Frame frame = read(in);
          requests.add(frame.message());
          if (i < steps.size()) {
            send(out, steps.get(i), frame.correlation());
            if (steps.get(i).hangUp()) {
              return;
            }
          }
        }
      } catch (IOException e) {
        // The client went, or the test ended: both are what the tests are about.
        closed.countDown();
      }
    }

    private void send(OutputStream out, Step step, long correlation) throws IOException {
      byte[] bytes = step.answer().bytes(correlation);
      if (step.dripMs() == 0) {
        out.write(bytes);
        return;
      }
      for (byte one : bytes) {
        out.write(one);
        try {
          if (closed.await(step.dripMs(), TimeUnit.MILLISECONDS)) {
            return;
          }
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return;
        }
      }
    }

    @Override
    public void close() {
      closed.countDown();
      try {
        listener.close();
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
