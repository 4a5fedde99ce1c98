package dev.tula.connect.lake.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.tula.connect.lake.output.ToolException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ConnectRestTest {
  private HttpServer server;
  private final Deque<Integer> statuses = new ArrayDeque<>();
  private final List<String> requests = new ArrayList<>();
  private String body = "{\"name\": \"sink\", \"topics\": \"t\"}";

  @BeforeEach
  void set_up() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  @AfterEach
  void tear_down() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    requests.add(
        exchange.getRequestURI().getRawPath()
            + " "
            + exchange.getRequestHeaders().getFirst("Authorization"));
    boolean list = exchange.getRequestURI().getPath().equals("/connectors");
    byte[] answer = (list ? "[\"a\",\"b\"]" : body).getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(list || statuses.isEmpty() ? 200 : statuses.pop(), answer.length);
    exchange.getResponseBody().write(answer);
    exchange.close();
  }

  private ConnectRest rest(String credentials, String path) {
    return new ConnectRest(
        URI.create("http://" + credentials + "127.0.0.1:" + server.getAddress().getPort() + path),
        Duration.ZERO);
  }

  @Test
  void the_configuration_is_what_the_worker_answers() {
    assertThat(rest("", "").config("my sink/1")).isEqualTo(Map.of("name", "sink", "topics", "t"));
    assertThat(requests).containsExactly("/connectors/my%20sink%2F1/config null");
  }

  @Test
  void credentials_go_into_a_header_and_a_path_before_the_resource() {
    rest("alice:secret@", "/connect/").config("sink");

    assertThat(requests).containsExactly("/connect/connectors/sink/config Basic YWxpY2U6c2VjcmV0");
  }

  @Test
  void a_rebalance_is_waited_for() {
    statuses.addAll(List.of(409, 409));

    assertThat(rest("", "").config("sink")).containsEntry("topics", "t");
    assertThat(requests).hasSize(3);
  }

  @Test
  void an_endless_rebalance_ends_with_what_the_worker_said() {
    for (int i = 0; i < 50; i++) {
      statuses.add(409);
    }
    body = "rebalance in progress";

    assertRefused(rest("", ""), "answered 409", "rebalance in progress");
    assertThat(requests).hasSize(15);
  }

  @Test
  void a_connector_that_is_not_there_is_answered_with_those_that_are() {
    statuses.add(404);

    assertRefused(rest("", ""), "has no connector sink", "[\"a\",\"b\"]");
  }

  @Test
  void refused_credentials_are_named_and_not_printed() {
    statuses.add(401);

    assertThatThrownBy(() -> rest("alice:secret@", "").config("sink"))
        .hasMessageContaining("wants other credentials")
        .hasMessageNotContaining("secret");
  }

  @Test
  void a_worker_that_is_not_there_is_named() throws IOException {
    int free;
    try (ServerSocket socket = new ServerSocket(0)) {
      free = socket.getLocalPort();
    }

    assertRefused(
        new ConnectRest(URI.create("http://127.0.0.1:" + free)),
        "can't reach the worker at http://127.0.0.1:" + free);
  }

  @Test
  void what_is_no_http_url_is_refused() {
    for (String url : List.of("localhost:8083", "ftp://x", "http:/x", "/x")) {
      assertThatThrownBy(() -> new ConnectRest(URI.create(url)))
          .isInstanceOf(ToolException.class)
          .hasMessageContaining("--connect-url");
    }
  }

  private static void assertRefused(ConnectRest rest, String... why) {
    assertThatThrownBy(() -> rest.config("sink"))
        .isInstanceOf(ToolException.class)
        .hasMessageContainingAll(why);
  }
}
