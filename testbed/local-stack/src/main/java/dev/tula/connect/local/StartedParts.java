package dev.tula.connect.local;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;

/**
 * The parts of something that runs, to be stopped in the other order than they were started in. One
 * that does not stop in order is named on standard error, and the others are stopped all the same.
 *
 * <p>Safe for any thread: {@link #close} may come while parts start. What comes up after it is
 * closed at once, so that no part outlives the whole. A call of {@link #close} returns when all
 * that was started has been stopped, also where another thread stops it.
 */
public final class StartedParts implements AutoCloseable {
  private final String whole;
  private final Deque<AutoCloseable> parts = new ArrayDeque<>();
  private boolean closed;

  /**
   * @param whole what the parts belong to, for the message
   */
  public StartedParts(String whole) {
    this.whole = whole;
  }

  /**
   * Starts a part. {@code start} may itself start parts, which then stop after this one.
   *
   * @throws StackException if the whole was closed before the part was up
   * @throws RuntimeException what {@code start} throws; the parts that run then still run
   */
  public <T extends AutoCloseable> T start(Supplier<T> start) {
    T part = start.get();
    synchronized (parts) {
      if (!closed) {
        parts.push(part);
        return part;
      }
    }
    close(part);
    throw new StackException(whole + " was stopped while a part of it started");
  }

  /** Stops all parts. A second call has nothing left to do. */
  @Override
  public void close() {
    synchronized (parts) {
      closed = true;
      while (!parts.isEmpty()) {
        close(parts.pop());
      }
    }
  }

  private static void close(AutoCloseable part) {
    try {
      part.close();
    } catch (Exception e) {
      // The others still have to be stopped; one that does not end in order was killed.
      System.err.println("stopping " + part.getClass().getSimpleName() + " failed: " + e);
    }
  }
}
