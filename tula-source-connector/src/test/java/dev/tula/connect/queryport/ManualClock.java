package dev.tula.connect.queryport;

import java.util.ArrayList;
import java.util.List;

/** A clock that a test moves, or that moves by itself when somebody sleeps on it. */
public final class ManualClock implements Clock {
  private final List<Long> sleeps = new ArrayList<>();
  private long nowMs = 1_000_000;
  private Runnable hook = () -> {};
  private int sleepsBeforeHook;

  @Override
  public synchronized long elapsedMs() {
    return nowMs;
  }

  @Override
  public synchronized long epochMs() {
    return nowMs;
  }

  @Override
  public void sleep(long ms) {
    boolean due;
    synchronized (this) {
      sleeps.add(ms);
      nowMs += ms;
      sleepsBeforeHook--;
      due = sleepsBeforeHook == 0;
    }
    if (due) {
      hook.run();
    }
  }

  /** Does something once, after so many more waits, on the thread that waited. */
  public synchronized void afterSleeps(int count, Runnable what) {
    sleepsBeforeHook = count;
    hook = what;
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
