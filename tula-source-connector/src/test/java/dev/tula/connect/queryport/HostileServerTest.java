package dev.tula.connect.queryport;

import static dev.tula.connect.queryport.PortFixtures.CODEC;
import static dev.tula.connect.queryport.PortFixtures.fetch;
import static dev.tula.connect.queryport.PortFixtures.page;
import static dev.tula.connect.queryport.PortFixtures.port;
import static dev.tula.connect.queryport.PortFixtures.read;
import static dev.tula.connect.queryport.PortFixtures.welcome;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.management.ThreadMXBean;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.wire.ErrorCode;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.refnode.FrameMutator;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The client against a server that means it ill. {@code -Dtula.fuzz.cases=} and {@code
 * -Dtula.fuzz.seed=} make a longer or another run of it.
 */
@Timeout(3_600)
class HostileServerTest {
  private static final int REQUEST_TIMEOUT_MS = 30_000;
  private static final long SEED = Long.getLong("tula.fuzz.seed", 20_260_301);
  private static final int CASES = Integer.getInteger("tula.fuzz.cases", 500);

  /** A first chunk of each of two answers, what decoding makes of their bytes, and the rest. */
  private static final long MAX_BYTES_PER_CASE = 2 << 20;

  @Test
  void whatever_bytes_come_a_call_ends_with_an_answer_or_with_one_kind_of_error() throws Exception {
    FrameMutator mutator = new FrameMutator(SEED);
    Random random = new Random(SEED);
    int answers = 0;
    int errors = 0;
    a_page_of_many_chunks_comes_whole(); // loads what is not the answers' doing
    try (Server server = new Server()) {
      for (int i = 0; i < CASES; i++) {
        boolean greets = random.nextInt(4) > 0;
        Message answer = answer(random);
        server.next(greets ? UnaryOperator.identity() : mutator::mutate, answer, mutator::mutate);
        long before = allocatedBytes();
        try (TcpQueryPort port = port(REQUEST_TIMEOUT_MS)) {
          port.open(server.address(), "me", Optional.of("c1"));
          call(port, answer);
          answers++;
        } catch (QueryPortException e) {
          errors++;
        }
        assertThat(allocatedBytes() - before)
            .as("bytes of memory in case %s of seed %s", i, SEED)
            .isLessThan(MAX_BYTES_PER_CASE);
      }
    }
    assertThat(errors).isGreaterThan(CASES / 2);
    assertThat(answers).as("some bits matter to nobody").isPositive();
  }

  @Test
  void a_length_that_is_only_claimed_takes_no_memory() throws Exception {
    byte[] claim = ByteBuffer.allocate(20).putInt(Message.DEFAULT_MAX_FRAME_BYTES).array();
    try (Server server = new Server();
        TcpQueryPort port = port(REQUEST_TIMEOUT_MS)) {
      server.next(UnaryOperator.identity(), page(3), frame -> claim);
      port.open(server.address(), "me", Optional.of("c1"));
      long before = allocatedBytes();
      assertThatExceptionOfType(QueryPortException.class)
          .isThrownBy(() -> port.fetch(fetch(0)))
          .withMessageContaining("in the middle of an answer");
      assertThat(allocatedBytes() - before)
          .as("of %s bytes that were claimed", Message.DEFAULT_MAX_FRAME_BYTES)
          .isLessThan(1 << 20);
    }
  }

  @Test
  void a_page_of_many_chunks_comes_whole() throws Exception {
    Message.Page page = page(5_000);
    try (Server server = new Server();
        TcpQueryPort port = port(REQUEST_TIMEOUT_MS)) {
      server.next(UnaryOperator.identity(), page, UnaryOperator.identity());
      port.open(server.address(), "me", Optional.of("c1"));
      assertThat(port.fetch(fetch(0))).isEqualTo(page);
    }
  }

  private static long allocatedBytes() {
    return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
  }

  private static Message answer(Random random) {
    return switch (random.nextInt(6)) {
      case 0 -> new Message.Acked(Position.batchEnd(3));
      case 1 ->
          new Message.StatusOk(
              Message.Role.LEADER,
              7,
              "a:1",
              Position.batchEnd(9),
              Position.ORIGIN,
              List.of(),
              List.of());
      case 2 -> Message.ErrorReply.of(ErrorCode.ERR_BUSY, 0, "later");
      default -> page(3);
    };
  }

  private static void call(QueryPort port, Message answer) throws QueryPortException {
    if (answer instanceof Message.Acked) {
      port.ack(new Message.Ack("p", 1, 0, 1, Position.batchEnd(3), 7));
    } else if (answer instanceof Message.StatusOk) {
      port.status();
    } else {
      port.fetch(fetch(0));
    }
  }

  /** Answers the greeting and one request of each connection as it was told last, and hangs up. */
  private static final class Server implements AutoCloseable {
    private final ServerSocket listener;
    private volatile UnaryOperator<byte[]> greeting;
    private volatile Message answer;
    private volatile UnaryOperator<byte[]> reply;

    Server() throws IOException {
      listener = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
      Thread thread = new Thread(this::accept, "hostile-server");
      thread.setDaemon(true);
      thread.start();
    }

    NodeAddress address() {
      return new NodeAddress("127.0.0.1", listener.getLocalPort());
    }

    void next(UnaryOperator<byte[]> toGreeting, Message message, UnaryOperator<byte[]> toAnswer) {
      greeting = toGreeting;
      answer = message;
      reply = toAnswer;
    }

    private void accept() {
      while (!listener.isClosed()) {
        try (Socket socket = listener.accept()) {
          socket.setTcpNoDelay(true);
          DataInputStream in = new DataInputStream(socket.getInputStream());
          byte[] sound =
              CODEC.encode(read(in).correlation(), welcome(Message.DEFAULT_MAX_FRAME_BYTES));
          byte[] sent = greeting.apply(sound);
          socket.getOutputStream().write(sent);
          if (sent != sound) {
            continue;
          }
          socket.getOutputStream().write(reply.apply(CODEC.encode(read(in).correlation(), answer)));
        } catch (IOException e) {
          // The client left first, or the test is over.
          continue;
        }
      }
    }

    @Override
    public void close() throws IOException {
      listener.close();
    }
  }
}
