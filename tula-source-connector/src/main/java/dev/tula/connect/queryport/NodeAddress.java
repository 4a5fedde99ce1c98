package dev.tula.connect.queryport;

import dev.tula.connect.model.wire.Message;
import java.util.Objects;

/**
 * Where a node listens.
 *
 * @param host a name or an IP address, IPv6 without brackets
 * @param port 1 to 65535
 */
public record NodeAddress(String host, int port) {
  /**
   * Checks both parts.
   *
   * @throws IllegalArgumentException if the host is empty or the port out of range
   */
  public NodeAddress {
    Objects.requireNonNull(host, "host");
    if (host.isBlank()) {
      throw new IllegalArgumentException("a node's address needs a host, as in db1.example:7800");
    }
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException("port " + port + " of " + host + " is not 1 to 65535");
    }
  }

  /**
   * Reads {@code host}, {@code host:port} or {@code [ipv6]:port}; the port defaults to 7800.
   *
   * @throws IllegalArgumentException naming the text, if it is none of these
   */
  public static NodeAddress parse(String text) {
    String trimmed = text.trim();
    if (trimmed.startsWith("[")) {
      int end = trimmed.indexOf(']');
      if (end < 0) {
        throw new IllegalArgumentException("\"" + text + "\" opens a bracket and never closes it");
      }
      return new NodeAddress(
          trimmed.substring(1, end), portAfter(text, trimmed.substring(end + 1)));
    }
    int colon = trimmed.indexOf(':');
    if (colon >= 0 && colon != trimmed.lastIndexOf(':')) {
      throw new IllegalArgumentException(
          "\"" + text + "\": write an IPv6 address in brackets, as in [::1]:7800");
    }
    int end = colon < 0 ? trimmed.length() : colon;
    return new NodeAddress(trimmed.substring(0, end), portAfter(text, trimmed.substring(end)));
  }

  private static int portAfter(String text, String rest) {
    if (rest.isEmpty()) {
      return Message.DEFAULT_PORT;
    }
    try {
      if (rest.charAt(0) == ':' && Character.isDigit(rest.charAt(rest.length() - 1))) {
        return Integer.parseUnsignedInt(rest.substring(1));
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("\"" + text + "\" has no valid port", e);
    }
    throw new IllegalArgumentException("\"" + text + "\" has no valid port; write host:port");
  }

  /** The text form, {@code host:port}, as {@link #parse} reads it. */
  @Override
  public String toString() {
    return host.indexOf(':') < 0 ? host + ":" + port : "[" + host + "]:" + port;
  }
}
