package dev.tula.connect.local.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TcpProxyTest {
  private static final int SHORT_MS = 300;
  private static final int LONG_MS = 60_000;

  private ServerSocket echo;
  private TcpProxy proxy;

  @BeforeEach
  void open() throws IOException {
    echo = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread server = new Thread(this::serve, "echo");
    server.setDaemon(true);
    server.start();
    proxy = new TcpProxy(echo.getLocalPort());
  }

  @AfterEach
  void close() throws IOException {
    proxy.close();
    echo.close();
  }

  private void serve() {
    while (!echo.isClosed()) {
      try {
        Socket client = echo.accept();
        Thread one = new Thread(() -> copy(client), "echo-one");
        one.setDaemon(true);
        one.start();
      } catch (IOException e) {
        return;
      }
    }
  }

  private static void copy(Socket client) {
    try (client) {
      client.getInputStream().transferTo(client.getOutputStream());
    } catch (IOException e) {
      return;
    }
  }

  private Socket connect(int readLimitMs) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
    socket.setSoTimeout(readLimitMs);
    return socket;
  }

  private static int echo(Socket socket, int value) throws IOException {
    socket.getOutputStream().write(value);
    return socket.getInputStream().read();
  }

  @Test
  void what_is_sent_passes_both_ways() throws Exception {
    try (Socket socket = connect(LONG_MS)) {
      assertThat(echo(socket, 7)).isEqualTo(7);
      assertThat(echo(socket, 8)).isEqualTo(8);
    }
  }

  @Test
  void what_a_silent_network_holds_back_arrives_once_it_is_open_again() throws Exception {
    try (Socket socket = connect(LONG_MS)) {
      assertThat(echo(socket, 7)).isEqualTo(7);
      proxy.set(TcpProxy.Mode.SILENT);
      socket.setSoTimeout(SHORT_MS);
      assertThatThrownBy(() -> echo(socket, 8)).isInstanceOf(SocketTimeoutException.class);
      proxy.open();
      socket.setSoTimeout(LONG_MS);
      assertThat(socket.getInputStream().read()).isEqualTo(8);
    }
  }

  @Test
  void a_cut_ends_every_connection_and_lets_no_new_one_come_about() throws Exception {
    try (Socket socket = connect(LONG_MS)) {
      assertThat(echo(socket, 7)).isEqualTo(7);
      proxy.set(TcpProxy.Mode.CUT);
      assertThat(isEnded(socket)).isTrue();
      try (Socket next = connect(LONG_MS)) {
        assertThat(isEnded(next)).isTrue();
      }
      proxy.open();
      try (Socket next = connect(LONG_MS)) {
        assertThat(echo(next, 9)).isEqualTo(9);
      }
    }
  }

  private static boolean isEnded(Socket socket) {
    try {
      return echo(socket, 1) < 0;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  /** Notes each request, and answers with its path. */
  private HttpServer store(List<String> requests) throws IOException {
    HttpServer store =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    store.createContext(
        "/",
        exchange -> {
          requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
          exchange.getRequestBody().readAllBytes();
          boolean head = exchange.getRequestMethod().equals("HEAD");
          byte[] path = exchange.getRequestURI().toString().getBytes(StandardCharsets.US_ASCII);
          exchange.sendResponseHeaders(200, head ? -1 : path.length);
          if (!head) {
            exchange.getResponseBody().write(path);
          }
          exchange.close();
        });
    store.start();
    return store;
  }

  /** On a connection of its own: one that is used again may be closed in the same moment. */
  private static HttpResponse<String> send(TcpProxy to, String method, int bytes) throws Exception {
    HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    BodyPublisher body =
        bytes == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(new byte[bytes]);
    return http.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + to.port() + "/lake/file"))
            .method(method, body)
            .build(),
        BodyHandlers.ofString());
  }

  @Test
  void a_full_store_refuses_what_writes_and_lets_reads_pass() throws Exception {
    List<String> requests = new CopyOnWriteArrayList<>();
    HttpServer store = store(requests);
    try (TcpProxy toStore = new TcpProxy(store.getAddress().getPort())) {
      assertThat(send(toStore, "PUT", 10).statusCode()).isEqualTo(200);
      requests.clear();
      toStore.set(TcpProxy.Mode.FULL);
      for (int i = 0; i < 3; i++) {
        assertThat(send(toStore, "PUT", 1 << 20).statusCode()).isEqualTo(507);
        assertThat(send(toStore, "GET", 0).body()).isEqualTo("/lake/file");
        assertThat(send(toStore, "POST", 0).statusCode()).isEqualTo(507);
        assertThat(send(toStore, "HEAD", 0).statusCode()).isEqualTo(200);
      }
      assertThat(requests).hasSize(6).containsOnly("GET /lake/file", "HEAD /lake/file");
      toStore.open();
      assertThat(send(toStore, "PUT", 1 << 20).statusCode()).isEqualTo(200);
    } finally {
      store.stop(0);
    }
  }

  private static String answers(TcpProxy proxy, String requests) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port())) {
      socket.setSoTimeout(LONG_MS);
      socket.getOutputStream().write(requests.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }
  }

  @Test
  void a_write_behind_a_read_on_one_connection_does_not_get_through_to_a_full_store()
      throws Exception {
    List<String> requests = new CopyOnWriteArrayList<>();
    HttpServer store = store(requests);
    String put = "PUT /second HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc";
    String get = "GET /first HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n";
    try (TcpProxy toStore = new TcpProxy(store.getAddress().getPort())) {
      toStore.set(TcpProxy.Mode.FULL);
      assertThat(answers(toStore, get + put)).startsWith("HTTP/1.1 200").contains("/first");
      assertThat(requests).containsExactly("GET /first");
    } finally {
      store.stop(0);
    }
  }

  @Test
  void the_body_of_a_refused_write_is_no_request() throws Exception {
    List<String> requests = new CopyOnWriteArrayList<>();
    HttpServer store = store(requests);
    String body = "GET /body HTTP/1.1\r\nHost: x\r\n\r\n";
    String put = "PUT /first HTTP/1.1\r\nHost: x\r\nContent-Length: " + body.length() + "\r\n\r\n";
    try (TcpProxy toStore = new TcpProxy(store.getAddress().getPort())) {
      toStore.set(TcpProxy.Mode.FULL);
      assertThat(answers(toStore, put + body)).startsWith("HTTP/1.1 507");
      assertThat(requests).isEmpty();
    } finally {
      store.stop(0);
    }
  }
}
