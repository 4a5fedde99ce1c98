package dev.tula.connect.refnode.server;

import dev.tula.connect.model.wire.Message;

/**
 * What a node puts up with.
 *
 * @param maxConnections at one time
 * @param maxFrameBytes the largest frame that it accepts and sends
 * @param maxFetchesInFlight FETCHes of one connection that wait or run at one time
 * @param idleTimeoutMs a connection that says nothing for so long, with no FETCH in flight, is
 *     closed
 * @param writeTimeoutMs a connection that takes so long to accept an answer is closed
 * @param frameTimeoutMs a connection that takes so long from a frame's first byte to its last is
 *     closed, however it drips in; so is one whose TLS handshake takes so long
 */
public record ServerLimits(
    int maxConnections,
    int maxFrameBytes,
    int maxFetchesInFlight,
    int idleTimeoutMs,
    int writeTimeoutMs,
    int frameTimeoutMs) {
  /** Enough for development and tests. */
  public static final ServerLimits DEFAULT =
      new ServerLimits(256, Message.DEFAULT_MAX_FRAME_BYTES, 4, 300_000, 30_000, 30_000);

  /** No frame limit may be below this, so that any record fits: 64 KiB. */
  public static final int MIN_MAX_FRAME_BYTES = 1 << 16;

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException naming the one that is wrong
   */
  public ServerLimits {
    require(maxConnections >= 1, "max connections", maxConnections);
    require(maxFrameBytes >= MIN_MAX_FRAME_BYTES, "max frame bytes", maxFrameBytes);
    require(maxFetchesInFlight >= 1, "max fetches in flight", maxFetchesInFlight);
    require(idleTimeoutMs >= 1, "idle timeout ms", idleTimeoutMs);
    require(writeTimeoutMs >= 1, "write timeout ms", writeTimeoutMs);
    require(frameTimeoutMs >= 1, "frame timeout ms", frameTimeoutMs);
  }

  private static void require(boolean holds, String name, int value) {
    if (!holds) {
      throw new IllegalArgumentException(name + " = " + value + " is out of range");
    }
  }

  /** With another largest frame. */
  public ServerLimits withMaxFrameBytes(int bytes) {
    return new ServerLimits(
        maxConnections, bytes, maxFetchesInFlight, idleTimeoutMs, writeTimeoutMs, frameTimeoutMs);
  }

  /** With another number of connections. */
  public ServerLimits withMaxConnections(int connections) {
    return new ServerLimits(
        connections,
        maxFrameBytes,
        maxFetchesInFlight,
        idleTimeoutMs,
        writeTimeoutMs,
        frameTimeoutMs);
  }

  /** With other time-outs. */
  public ServerLimits withTimeoutsMs(int idle, int write) {
    return new ServerLimits(
        maxConnections, maxFrameBytes, maxFetchesInFlight, idle, write, frameTimeoutMs);
  }

  /** With another time for a frame to come whole. */
  public ServerLimits withFrameTimeoutMs(int ms) {
    return new ServerLimits(
        maxConnections, maxFrameBytes, maxFetchesInFlight, idleTimeoutMs, writeTimeoutMs, ms);
  }
}
