package dev.tula.connect.queryport;

import java.io.IOException;
import java.net.Socket;

/** Plain TCP, or TLS on top of it. */
interface SocketConnector {
  /**
   * Wraps a connected TCP socket, or returns it. Reads through the socket, and so by its deadline.
   *
   * @throws TlsRefusedException if TLS can't be had with that node, or with these settings
   * @throws IOException if the connection is lost, or its deadline passes
   */
  Socket secure(Socket connected, NodeAddress node) throws IOException, TlsRefusedException;

  /** As the settings say. */
  static SocketConnector of(QueryPortConfig config) {
    return config.tls() ? new TlsConnector(config.sslSettings()) : (connected, node) -> connected;
  }
}
