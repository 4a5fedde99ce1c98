package dev.tula.connect.sink;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Time that stands still unless a test moves it, and a machine's clock that a test can set. */
final class TestTime {
  private static final long LIMIT_NS = 120_000_000_000L;
  private static final long BETWEEN_LOOKS_NS = 1_000_000;

  private final AtomicLong elapsedMs = new AtomicLong();
  private final AtomicLong clockMs = new AtomicLong(1_700_000_000_000L);
  private final AtomicInteger looks = new AtomicInteger();

  Clocks clocks() {
    return new Clocks(() -> Instant.ofEpochMilli(clockMs.get()), this::look);
  }

  private long look() {
    looks.incrementAndGet();
    return elapsedMs.get();
  }

  /** What has passed so far. */
  long ms() {
    return elapsedMs.get();
  }

  void pass(long ms) {
    elapsedMs.addAndGet(ms);
    clockMs.addAndGet(ms);
  }

  /** Somebody sets the machine's clock; no time passes. */
  void setClock(long byMs) {
    clockMs.addAndGet(byMs);
  }

  /** Waits until time was looked at so often, or something holds after which nobody does. */
  void awaitLooks(int times, BooleanSupplier ended) {
    int seen = looks.get() + times;
    long deadline = System.nanoTime() + LIMIT_NS;
    while (looks.get() < seen && !ended.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("nobody looks at the time");
      }
      LockSupport.parkNanos(BETWEEN_LOOKS_NS);
    }
  }
}
