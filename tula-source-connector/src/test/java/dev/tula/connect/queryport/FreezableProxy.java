package dev.tula.connect.queryport;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A network between a client and one node that can be cut without anybody being told: connections
 * stay open, and nothing comes through any more, as behind a router that lost its state.
 */
final class FreezableProxy implements AutoCloseable {
  private final NodeAddress target;
  private final ServerSocket listener;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private volatile boolean frozen;

  FreezableProxy(NodeAddress target) throws IOException {
    this.target = target;
    this.listener = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
    daemon(this::accept);
  }

  NodeAddress address() {
    return new NodeAddress("127.0.0.1", listener.getLocalPort());
  }

  void freeze() {
    frozen = true;
  }

  void thaw() {
    frozen = false;
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        Socket node = new Socket(target.host(), target.port());
        sockets.addAll(List.of(client, node));
        daemon(() -> pump(client, node));
        daemon(() -> pump(node, client));
      } catch (IOException e) {
        // The node is down, or the test is over; either way there is nobody to talk to.
        continue;
      }
    }
  }

  private void pump(Socket from, Socket to) {
    byte[] buffer = new byte[1 << 14];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        if (!frozen) {
          out.write(buffer, 0, count);
        }
      }
    } catch (IOException e) {
      // One end went; closing both is what a network does then.
      return;
    }
  }

  private static void daemon(Runnable work) {
    Thread thread = new Thread(work, "freezable-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
