package dev.tula.connect.sink;

import java.util.concurrent.TimeUnit;

/**
 * How time passes, whatever the machine's clock is set to: intervals, waits and limits go by it, so
 * that a clock that is put right neither stops nor hastens them. It tells no date. Safe for any
 * thread.
 */
interface ElapsedTime {
  /** The process's own, which only ever moves on. */
  ElapsedTime SYSTEM = () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime());

  /** Milliseconds since a moment that stays the same; only differences mean something. */
  long ms();
}
