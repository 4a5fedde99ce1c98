package dev.tula.connect.local.chaos;

import dev.tula.connect.local.StackException;
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
    /** Every request over HTTP is answered with 507. */
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
        answerFull(client);
      } else if (mode != Mode.CUT) {
        client.setTcpNoDelay(true);
        upstream.setTcpNoDelay(true);
        upstream.connect(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), target), CONNECT_LIMIT_MS);
        daemon("answers", () -> pump(upstream, client));
        pump(client, upstream);
      }
    } catch (IOException e) {
      // What a client sees of a server that is not there: its connection ends.
      end(upstream);
    } finally {
      forget(client);
      forget(upstream);
    }
  }

  private static void answerFull(Socket client) throws IOException {
    InputStream in = client.getInputStream();
    byte[] request = new byte[CHUNK];
    if (in.read(request) >= 0) {
      client.getOutputStream().write(STORAGE_FULL);
      client.shutdownOutput();
      while (in.read(request) >= 0) {
        // Read to its end, or the answer would be lost to a reset.
      }
    }
  }

  private void pump(Socket from, Socket to) {
    byte[] chunk = new byte[CHUNK];
    try {
      InputStream in = from.getInputStream();
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
