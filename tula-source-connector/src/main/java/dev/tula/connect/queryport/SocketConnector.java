package dev.tula.connect.queryport;

import java.io.IOException;
import java.net.Socket;

/** Plain TCP, or TLS on top of it. */
interface SocketConnector {
  /** An unconnected TCP socket. */
  default Socket newSocket() {
    return new Socket();
  }

  /** Wraps a connected TCP socket, or returns it. Keeps to the socket's own read time-out. */
  Socket secure(Socket connected, NodeAddress node) throws IOException;

  /** As the settings say. */
  static SocketConnector of(QueryPortConfig config) {
    return config.tls() ? new TlsConnector(config.sslSettings()) : (connected, node) -> connected;
  }
}
