package dev.tula.connect.queryport;

import java.util.ArrayList;
import java.util.List;

/** A clock that a test moves, or that moves by itself when somebody sleeps on it. */
public final class ManualClock implements Clock {
  private final List<Long> sleeps = new ArrayList<>();
  private long nowMs = 1_000_000;

  @Override
  public synchronized long elapsedMs() {
    return nowMs;
  }

  @Override
  public synchronized long epochMs() {
    return nowMs;
  }

  @Override
  public synchronized void sleep(long ms) {
    sleeps.add(ms);
    nowMs += ms;
  }

  /** Moves on. */
  public synchronized void advance(long ms) {
    nowMs += ms;
  }

  /** Every wait so far, in order. */
  public synchronized List<Long> sleeps() {
    return List.copyOf(sleeps);
  }
}
