package dev.tula.connect.local.chaos;

import dev.tula.connect.local.StackException;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Passes TCP connections on to a server on this machine, and can make the network between bad. Two
 * threads for each connection. Safe for any thread.
 */
final class TcpProxy implements AutoCloseable {
  private static final int CHUNK = 1 << 16;
  private static final int CONNECT_LIMIT_MS = 2_000;
  private static final int BACKLOG = 256;
  private static final int MAX_HEAD = 1 << 16;
  private static final String HEAD_END = "\r\n\r\n";
  private static final byte[] STORAGE_FULL =
      "HTTP/1.1 507 Insufficient Storage\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
          .getBytes(StandardCharsets.US_ASCII);

  /** What the network does. */
  enum Mode {
    /** It passes everything. */
    OPEN,
    /** It passes everything late. */
    SLOW,
    /** It passes nothing, and no connection ends. */
    SILENT,
    /** Every connection ends, and no new one comes about. */
    CUT,
    /** Over HTTP, what writes (PUT, POST) is answered with 507, and all else passes. */
    FULL
  }

  private final int target;
  private final ServerSocket server;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final Object changed = new Object();
  private volatile Mode mode = Mode.OPEN;
  private volatile long delayMs;

  /**
   * @param target the server's port on the loopback interface; it need not be there yet
   */
  TcpProxy(int target) {
    this.target = target;
    try {
      this.server = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new StackException("could not open a proxy for port " + target, e);
    }
    daemon("accept", this::accept);
  }

  /** Where clients connect to. */
  int port() {
    return server.getLocalPort();
  }

  /** Lets everything pass again. */
  void open() {
    set(Mode.OPEN);
  }

  /** Lets everything pass, each piece so much later. */
  void slow(long ms) {
    delayMs = ms;
    set(Mode.SLOW);
  }

  /** Makes the network as bad as that. */
  void set(Mode next) {
    synchronized (changed) {
      mode = next;
      changed.notifyAll();
    }
    if (next == Mode.CUT || next == Mode.FULL) {
      sockets.forEach(TcpProxy::end);
    }
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket client = server.accept();
        sockets.add(client);
        daemon("connection", () -> serve(client));
      } catch (IOException e) {
        if (!server.isClosed()) {
          throw new StackException("the proxy for port " + target + " failed", e);
        }
      }
    }
  }

  private void serve(Socket client) {
    Socket upstream = new Socket();
    sockets.add(upstream);
    try {
      if (mode == Mode.FULL) {
        serveFull(client, upstream);
      } else if (mode != Mode.CUT) {
        connect(client, upstream);
        pump(client.getInputStream(), client, upstream);
      }
    } catch (IOException e) {
      // What a client sees of a server that is not there: its connection ends.
      end(upstream);
    } finally {
      forget(client);
      forget(upstream);
    }
  }

  private void connect(Socket client, Socket upstream) throws IOException {
    client.setTcpNoDelay(true);
    upstream.setTcpNoDelay(true);
    upstream.connect(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), target), CONNECT_LIMIT_MS);
    InputStream answers = upstream.getInputStream();
    daemon("answers", () -> pump(answers, upstream, client));
  }

  /**
   * Serves one request. The server is asked to end the connection after it, so that what a client
   * sends on it afterwards is not taken for a request, and no body for one either.
   */
  private void serveFull(Socket client, Socket upstream) throws IOException {
    InputStream in = new BufferedInputStream(client.getInputStream(), CHUNK);
    String head = head(in);
    if (head.startsWith("PUT ") || head.startsWith("POST ")) {
      answerFull(client, in);
    } else if (head.endsWith(HEAD_END)) {
      connect(client, upstream);
      upstream.getOutputStream().write(lastOfItsConnection(head));
      pump(in, client, upstream);
    }
  }

  /** A request's lines up to the empty one; less where the client ends earlier, or never ends. */
  private static String head(InputStream in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    int matched = 0;
    while (matched < HEAD_END.length() && head.size() < MAX_HEAD) {
      int octet = in.read();
      if (octet < 0) {
        break;
      }
      head.write(octet);
      if (octet == HEAD_END.charAt(matched)) {
        matched++;
      } else {
        matched = octet == HEAD_END.charAt(0) ? 1 : 0;
      }
    }
    return head.toString(StandardCharsets.ISO_8859_1);
  }

  private static byte[] lastOfItsConnection(String head) {
    StringBuilder lines = new StringBuilder();
    head.lines()
        .filter(line -> !line.isEmpty())
        .filter(line -> !line.regionMatches(true, 0, "connection:", 0, "connection:".length()))
        .forEach(line -> lines.append(line).append("\r\n"));
    lines.append("Connection: close").append(HEAD_END);
    return lines.toString().getBytes(StandardCharsets.ISO_8859_1);
  }

  private static void answerFull(Socket client, InputStream in) throws IOException {
    client.getOutputStream().write(STORAGE_FULL);
    client.shutdownOutput();
    byte[] body = new byte[CHUNK];
    while (in.read(body) >= 0) {
      // Read to its end, or the answer would be lost to a reset.
    }
  }

  private void pump(InputStream in, Socket from, Socket to) {
    byte[] chunk = new byte[CHUNK];
    try {
      OutputStream out = to.getOutputStream();
      for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
        awaitPassage();
        out.write(chunk, 0, read);
      }
      to.shutdownOutput();
    } catch (IOException | InterruptedException e) {
      end(from);
      end(to);
    }
  }

  private void awaitPassage() throws InterruptedException {
    if (mode == Mode.SLOW) {
      Thread.sleep(delayMs);
    }
    synchronized (changed) {
      while (mode == Mode.SILENT) {
        changed.wait();
      }
    }
  }

  private void forget(Socket socket) {
    end(socket);
    sockets.remove(socket);
  }

  private static void end(Closeable socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new StackException("could not close a connection", e);
    }
  }

  private static void daemon(String what, Runnable work) {
    Thread thread = new Thread(work, "proxy-" + what);
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() {
    end(server);
    set(Mode.CUT);
  }
}
