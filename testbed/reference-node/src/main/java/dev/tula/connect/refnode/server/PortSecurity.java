package dev.tula.connect.refnode.server;

import java.net.InetAddress;
import java.net.Socket;
import java.util.Objects;
import javax.net.ServerSocketFactory;
import javax.net.ssl.SSLContext;

/** Where a node's sockets come from, and what a peer may do. Safe for any thread. */
public interface PortSecurity {
  /** Makes the listening sockets. */
  ServerSocketFactory sockets();

  /** Whether the peer has the exporter role. May block on a handshake. */
  boolean isExporter(Socket peer);

  /** Whether a node may listen at this address. */
  boolean mayListenAt(InetAddress address);

  /** Plain TCP. It trusts whoever connects, and so listens at the loopback address only. */
  static PortSecurity plain() {
    return new PortSecurity() {
      @Override
      public ServerSocketFactory sockets() {
        return ServerSocketFactory.getDefault();
      }

      @Override
      public boolean isExporter(Socket peer) {
        Objects.requireNonNull(peer, "peer");
        return peer.getInetAddress().isLoopbackAddress();
      }

      @Override
      public boolean mayListenAt(InetAddress address) {
        return address.isLoopbackAddress();
      }
    };
  }

  /** Mutual TLS, with the role from the client's certificate; listens anywhere. */
  static PortSecurity tls(SSLContext context) {
    return new TlsSecurity(context);
  }
}
