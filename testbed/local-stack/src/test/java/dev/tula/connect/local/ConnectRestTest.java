package dev.tula.connect.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ConnectRestTest {
  private final Deque<Answer> answers = new ArrayDeque<>();
  private final List<String> requests = new ArrayList<>();
  private HttpServer server;
  private ConnectRest rest;

  private record Answer(int status, String body) {}

  @BeforeEach
  void listen() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::handle);
    server.start();
    rest = new ConnectRest(URI.create("http://127.0.0.1:" + server.getAddress().getPort()));
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void handle(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " " + body);
    Answer answer = answers.remove();
    byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(answer.status(), bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  @Test
  void a_configuration_is_put_as_the_object_of_strings_that_it_is() {
    answers.add(new Answer(201, "{}"));

    rest.putConfig("sink", Map.of("tasks.max", "1"));

    assertThat(requests).containsExactly("PUT /connectors/sink/config {\"tasks.max\":\"1\"}");
  }

  @Test
  void what_a_rebalance_refuses_is_asked_again() {
    answers.add(new Answer(409, "{\"message\":\"rebalance\"}"));
    answers.add(new Answer(200, "{}"));

    rest.putConfig("sink", Map.of());

    assertThat(requests).hasSize(2);
  }

  @Test
  void a_refusal_carries_the_workers_own_message_and_is_not_repeated() {
    answers.add(new Answer(400, "{\"error_code\":400,\"message\":\"tula.hosts is missing\"}"));

    assertThatThrownBy(() -> rest.putConfig("source", Map.of()))
        .isInstanceOf(StackException.class)
        .hasMessageContaining("tula.hosts is missing")
        .hasMessageContaining("/connectors/source/config");
    assertThat(requests).hasSize(1);
  }

  @Test
  void a_failed_task_is_a_failure_with_its_trace() {
    answers.add(
        new Answer(
            200,
            "{\"connector\":{\"state\":\"RUNNING\"},\"tasks\":[{\"id\":0,\"state\":\"RUNNING\"},"
                + "{\"id\":1,\"state\":\"FAILED\",\"trace\":\"TULA-86 overlap\"}]}"));

    ConnectorStatus status = rest.status("sink").orElseThrow();

    assertThat(status.isRunning()).isFalse();
    assertThat(status.failure()).contains("TULA-86 overlap");
    assertThat(status.tasks()).extracting(ConnectorStatus.TaskStatus::id).containsExactly(0, 1);
  }

  @Test
  void a_connector_without_tasks_does_not_run_yet_and_has_not_failed() {
    answers.add(new Answer(200, "{\"connector\":{\"state\":\"RUNNING\"},\"tasks\":[]}"));

    ConnectorStatus status = rest.status("sink").orElseThrow();

    assertThat(status.isRunning()).isFalse();
    assertThat(status.failure()).isEmpty();
  }

  @Test
  void a_connector_that_the_worker_does_not_know_has_no_status() {
    answers.add(new Answer(404, "{\"message\":\"No status found\"}"));

    assertThat(rest.status("sink")).isEmpty();
  }

  @Test
  void a_worker_that_does_not_listen_is_not_up() {
    server.stop(0);

    assertThat(rest.isUp()).isFalse();
  }
}
