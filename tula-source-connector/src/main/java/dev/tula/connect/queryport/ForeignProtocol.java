package dev.tula.connect.queryport;

import java.nio.charset.StandardCharsets;

/** Tells by its first bytes what speaks at a port that should be a query port. */
final class ForeignProtocol {
  private static final int TLS_ALERT = 0x15;
  private static final int TLS_HANDSHAKE = 0x16;
  private static final int TLS_MAJOR_VERSION = 3;

  private ForeignProtocol() {}

  /** A guess to append to an error; empty where there is none. */
  static String guess(byte[] first) {
    boolean record = first[0] == TLS_ALERT || first[0] == TLS_HANDSHAKE;
    if (record && first[1] == TLS_MAJOR_VERSION) {
      return "; that is TLS: set tula.ssl.*, or the node's plain port";
    }
    String text = new String(first, StandardCharsets.US_ASCII);
    return switch (text) {
      case "HTTP", "SSH-" -> "; it answers in " + text.replace("-", "") + ": check the port";
      default -> "";
    };
  }
}
