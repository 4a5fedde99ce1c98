package dev.tula.connect.refnode.server;

import java.util.concurrent.TimeUnit;

/** How long something takes that one thread does and another one watches. */
final class Stopwatch {
  private volatile long sinceNanos;
  private volatile boolean running;

  void begin() {
    sinceNanos = System.nanoTime();
    running = true;
  }

  void end() {
    running = false;
  }

  /** Whether it runs, and has for longer than that. */
  boolean exceeds(long limitMs) {
    // In this order: a time read first could be of what ended long before what runs now.
    return running && System.nanoTime() - sinceNanos > TimeUnit.MILLISECONDS.toNanos(limitMs);
  }
}
