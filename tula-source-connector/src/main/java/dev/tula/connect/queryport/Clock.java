package dev.tula.connect.queryport;

import java.util.concurrent.TimeUnit;

/** Time, and waiting for it. A test puts its own in. Safe for any thread. */
public interface Clock {
  /** Milliseconds that never go backwards, from an arbitrary start. For deadlines. */
  long elapsedMs();

  /** The same in nanoseconds, as exactly as it is known. For how long something took. */
  default long elapsedNanos() {
    return TimeUnit.MILLISECONDS.toNanos(elapsedMs());
  }

  /** Milliseconds since the epoch. For people, and to compare with the engine's times. */
  long epochMs();

  /** Waits. Returns at once for 0 or less. */
  void sleep(long ms) throws InterruptedException;

  /** The machine's. */
  static Clock system() {
    return new Clock() {
      @Override
      public long elapsedMs() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
      }

      @Override
      public long elapsedNanos() {
        return System.nanoTime();
      }

      @Override
      public long epochMs() {
        return System.currentTimeMillis();
      }

      @Override
      public void sleep(long ms) throws InterruptedException {
        if (ms > 0) {
          Thread.sleep(ms);
        }
      }
    };
  }
}
