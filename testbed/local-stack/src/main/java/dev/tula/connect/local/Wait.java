package dev.tula.connect.local;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;

/** Waits for conditions, always with an end. Safe for any thread. */
public final class Wait {
  private static final Duration PAUSE = Duration.ofMillis(100);

  private Wait() {}

  /**
   * Asks {@code condition} until it is true.
   *
   * @param what the condition in words, for the message
   * @throws StackException if it is not true within {@code limit}, or the thread is interrupted
   */
  public static void until(String what, Duration limit, Callable<Boolean> condition) {
    forValue(
        what,
        limit,
        () -> condition.call() ? Optional.of(Boolean.TRUE) : Optional.<Boolean>empty());
  }

  /**
   * Asks {@code source} until it has a value.
   *
   * @param what the value in words, for the message
   * @throws StackException if there is none within {@code limit}, with the last error as its cause;
   *     one that {@code source} throws ends the wait at once
   */
  public static <T> T forValue(String what, Duration limit, Callable<Optional<T>> source) {
    long endNanos = System.nanoTime() + limit.toNanos();
    Exception last = null;
    do {
      try {
        Optional<T> value = source.call();
        if (value.isPresent()) {
          return value.get();
        }
        last = null;
      } catch (StackException e) {
        throw e;
      } catch (Exception e) {
        last = e;
      }
      pause(PAUSE);
    } while (System.nanoTime() < endNanos);
    throw new StackException(
        "gave up after " + limit.toSeconds() + " s waiting for " + what + reason(last), last);
  }

  private static String reason(Exception last) {
    return last == null ? "" : ": " + last;
  }

  /** Sleeps; an interrupt is an error, with the thread's flag set again. */
  static void pause(Duration time) {
    try {
      Thread.sleep(time.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StackException("interrupted while waiting", e);
    }
  }
}
