package dev.tula.connect.local.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.tula.connect.local.ConnectRest;
import dev.tula.connect.local.StackException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OperatorTest {
  private static final String FENCED = "TULA-FENCED t-0: a newer writer\n\tat a.B.c(D.java:1)\n";
  private static final String MISTAKE = "the writer of t-0 failed unexpectedly: x\n";

  private final Map<Integer, String> traces = new TreeMap<>();
  private final AtomicInteger restarts = new AtomicInteger();
  private final AtomicInteger lastResorts = new AtomicInteger();
  private final TaskFailures failures = new TaskFailures(4);
  private boolean refusing;
  private HttpServer worker;
  private Operator operator;

  @BeforeEach
  void listen() throws IOException {
    worker = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    worker.createContext("/", this::answer);
    worker.start();
    ConnectRest rest =
        new ConnectRest(URI.create("http://127.0.0.1:" + worker.getAddress().getPort()));
    operator = new Operator(() -> rest, List.of("sink"), failures, lastResorts::incrementAndGet);
  }

  @AfterEach
  void stop() {
    worker.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    boolean restart = exchange.getRequestMethod().equals("POST");
    int status = restart && refusing ? 500 : 200;
    if (restart && !refusing) {
      restarts.incrementAndGet();
    }
    byte[] body = (restart ? "{}" : status()).getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private String status() {
    ObjectNode status = new ObjectMapper().createObjectNode();
    status.putObject("connector").put("state", "RUNNING");
    ArrayNode tasks = status.putArray("tasks");
    for (int i = 0; i < 2; i++) {
      ObjectNode task = tasks.addObject().put("id", i);
      task.put("state", traces.containsKey(i) ? "FAILED" : "RUNNING");
      task.put("trace", traces.getOrDefault(i, ""));
    }
    return status.toString();
  }

  @Test
  void every_failed_task_is_counted_by_its_own_reason_and_restarted() {
    traces.put(0, FENCED);
    traces.put(1, MISTAKE);
    operator.look();
    assertThat(restarts).hasValue(1);
    assertThat(failures.explained()).isEqualTo(Map.of("sink: TULA-FENCED t-0: a newer writer", 1));
    assertThat(failures.unexpected())
        .isEqualTo(Map.of("sink: the writer of t-0 failed unexpectedly: x", 1));
  }

  @Test
  void a_failure_that_no_restart_has_reached_yet_is_one_and_one_that_came_back_is_another() {
    traces.put(0, FENCED);
    operator.look();
    operator.look();
    assertThat(failures.explained().values()).containsExactly(1);
    traces.clear();
    operator.look();
    traces.put(0, FENCED);
    operator.look();
    assertThat(failures.explained().values()).containsExactly(2);
  }

  @Test
  void a_task_that_fails_at_once_again_and_again_ends_the_run() {
    traces.put(0, FENCED);
    assertThatThrownBy(
            () -> {
              for (int i = 0; i <= 4 * Operator.LOOKS_BEFORE_COUNTED_AGAIN; i++) {
                operator.look();
              }
            })
        .isInstanceOf(StackException.class)
        .hasMessageContaining("more than 4 times");
  }

  @Test
  void a_failure_is_counted_though_connect_refuses_to_restart_it() {
    traces.put(0, MISTAKE);
    refusing = true;
    for (int i = 0; i < 8; i++) {
      operator.look();
    }
    assertThat(restarts).hasValue(0);
    assertThat(lastResorts).hasValue(1);
    assertThat(failures.unexpected().values()).containsExactly(1);
  }

  @Test
  void a_halt_ends_the_run_and_nothing_is_restarted() {
    traces.put(1, "x\nCaused by: y: TULA-86 t-0: digests differ\n");
    assertThatThrownBy(operator::look)
        .isInstanceOf(StackException.class)
        .hasMessageContaining("TULA-86");
    assertThat(restarts).hasValue(0);
  }
}
