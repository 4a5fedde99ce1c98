package dev.tula.connect.local.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TcpProxyTest {
  private static final int SHORT_MS = 300;
  private static final int LONG_MS = 30_000;

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
    try (Socket socket = connect(SHORT_MS)) {
      assertThat(echo(socket, 7)).isEqualTo(7);
      proxy.set(TcpProxy.Mode.SILENT);
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

  @Test
  void a_full_store_answers_507_to_a_request_with_a_body() throws Exception {
    proxy.set(TcpProxy.Mode.FULL);
    HttpRequest put =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + proxy.port() + "/lake/file"))
            .PUT(BodyPublishers.ofByteArray(new byte[1 << 20]))
            .build();
    HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    assertThat(http.send(put, BodyHandlers.discarding()).statusCode()).isEqualTo(507);
  }
}
