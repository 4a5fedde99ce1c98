package dev.tula.connect.refnode.server;

import dev.tula.connect.model.wire.FrameCodec;
import dev.tula.connect.refnode.cluster.Cluster;
import dev.tula.connect.refnode.cluster.QueryPortException;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One node's query port: a thread that accepts, and a thread per connection up to the limit. It may
 * be stopped and started again at the same port. Safe for any thread.
 */
public final class NodeServer implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeServer.class);
  private static final int BACKLOG = 64;
  private static final int FULL_RETRY_MS = 1000;
  private static final int STOP_WAIT_MS = 5000;

  private final Cluster cluster;
  private final int node;
  private final InetAddress address;
  private final ServerLimits limits;
  private final PortSecurity security;
  private final Set<Session> sessions = ConcurrentHashMap.newKeySet();
  private final Map<Socket, Stopwatch> handshakes = new ConcurrentHashMap<>();
  private final AtomicLong accepted = new AtomicLong();
  private final AtomicInteger connections = new AtomicInteger();
  private int port;
  private ServerSocket listener;
  private Thread acceptor;

  /**
   * A node that does not listen yet.
   *
   * @param port 0 picks a free one at the first start and stays with it
   * @throws IllegalArgumentException if the security does not allow that address
   */
  public NodeServer(
      Cluster cluster,
      int node,
      InetAddress address,
      int port,
      ServerLimits limits,
      PortSecurity security) {
    if (!security.mayListenAt(address)) {
      throw new IllegalArgumentException(
          "without TLS a node listens at a loopback address only, not at "
              + address.getHostAddress());
    }
    this.cluster = cluster;
    this.node = node;
    this.address = address;
    this.port = port;
    this.limits = limits;
    this.security = security;
  }

  /**
   * Listens.
   *
   * @throws UncheckedIOException if the port can't be had
   */
  public synchronized void start() {
    if (listener != null) {
      return;
    }
    try {
      listener = listen();
    } catch (IOException e) {
      throw new UncheckedIOException(
          cluster.nodeId(node) + " can't listen at " + address.getHostAddress() + ":" + port, e);
    }
    port = listener.getLocalPort();
    ServerSocket current = listener;
    acceptor = daemon(() -> accept(current), cluster.nodeId(node) + "-accept");
    cluster.nodeUp(node, address());
  }

  private ServerSocket listen() throws IOException {
    ServerSocket socket = security.sockets().createServerSocket();
    try {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(address, port), BACKLOG);
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  private static Thread daemon(Runnable body, String name) {
    Thread thread = new Thread(body, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private void accept(ServerSocket from) {
    while (!from.isClosed()) {
      try {
        admit(from.accept(), from);
      } catch (IOException e) {
        if (!from.isClosed()) {
          LOG.warn("{} could not take a connection: {}", cluster.nodeId(node), e.getMessage());
        }
      }
    }
  }

  private void admit(Socket socket, ServerSocket from) throws IOException {
    if (connections.incrementAndGet() > limits.maxConnections()) {
      connections.decrementAndGet();
      refuse(socket);
      return;
    }
    String name = cluster.nodeId(node) + "-connection-" + accepted.incrementAndGet();
    daemon(
        () -> {
          try {
            serve(socket, from);
          } catch (IOException e) {
            LOG.debug("{} ended: {}", name, e.getMessage());
          } catch (RuntimeException e) {
            cluster.noteFailure();
            LOG.error("{} failed", name, e);
          } finally {
            connections.decrementAndGet();
          }
        },
        name);
  }

  /** So short an answer always finds room in a fresh socket's buffer. */
  private void refuse(Socket socket) throws IOException {
    try (socket) {
      FrameCodec codec = new FrameCodec(limits.maxFrameBytes());
      new FrameChannel(socket, codec, cluster.faults())
          .write(0, QueryPortException.busy("too many connections", FULL_RETRY_MS).reply());
    }
  }

  private void serve(Socket socket, ServerSocket from) throws IOException {
    try (socket) {
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(limits.idleTimeoutMs());
      FrameChannel channel =
          new FrameChannel(socket, new FrameCodec(limits.maxFrameBytes()), cluster.faults());
      Session session = new Session(cluster, node, limits, channel, isExporter(socket));
      sessions.add(session);
      try {
        // A stop that came before the session was listed did not end it.
        if (!from.isClosed()) {
          session.run();
        }
      } finally {
        sessions.remove(session);
      }
    }
  }

  /** With TLS this is where the handshake takes place. */
  private boolean isExporter(Socket socket) {
    Stopwatch handshake = new Stopwatch();
    handshake.begin();
    handshakes.put(socket, handshake);
    try {
      return security.isExporter(socket);
    } finally {
      handshakes.remove(socket);
    }
  }

  /**
   * Ends connections that do not take their answers, and those whose handshake or frame does not
   * come to its end. Called now and then.
   */
  public void housekeep() {
    for (Session session : sessions) {
      closing(session::closeIfHangs);
    }
    handshakes.forEach(
        (socket, handshake) -> {
          if (handshake.exceeds(limits.frameTimeoutMs())) {
            closing(socket::close);
          }
        });
  }

  private static void closing(Closeable hanging) {
    try {
      hanging.close();
    } catch (IOException e) {
      LOG.debug("a hanging connection did not close: {}", e.getMessage());
    }
  }

  /** {@code host:port}. */
  public synchronized String address() {
    return address.getHostAddress() + ":" + port;
  }

  /** The port; 0 before the first start if a free one is to be picked. */
  public synchronized int port() {
    return port;
  }

  /** The number of connections. */
  public int connections() {
    return connections.get();
  }

  /** Ends every connection, but goes on listening. */
  public void dropConnections() {
    sessions.forEach(Session::close);
  }

  /** Stops listening and ends every connection. */
  public synchronized void stop() {
    if (listener == null) {
      return;
    }
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(cluster.nodeId(node) + " can't stop listening", e);
    }
    listener = null;
    dropConnections();
    awaitAcceptor();
    cluster.nodeDown(node);
  }

  /** The kernel keeps a closed listener's port taken until the thread that accepts has left. */
  private void awaitAcceptor() {
    try {
      acceptor.join(STOP_WAIT_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    stop();
  }
}
