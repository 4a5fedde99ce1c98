package dev.tula.connect.refnode;

import dev.tula.connect.refnode.cluster.CommittedLedger;
import java.io.Closeable;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the workload run on a thread of its own, up to a number of records and at a rate, and can
 * pause it. A batch is never cut to keep the rate, so that the rate changes nothing but the pace.
 * Safe for any thread.
 */
final class LoadRunner implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(LoadRunner.class);

  private final CommittedLedger ledger;
  private final long targetRows;
  private final double rowsPerSecond;
  private final Thread thread;
  private boolean paused;
  private boolean closed;
  private boolean done;
  private RuntimeException failure;

  /**
   * A run that has not started.
   *
   * @param targetRows stops when the ledger has so many records
   * @param rowsPerSecond 0 for as fast as it goes
   */
  LoadRunner(CommittedLedger ledger, long targetRows, double rowsPerSecond) {
    this.ledger = ledger;
    this.targetRows = targetRows;
    this.rowsPerSecond = rowsPerSecond;
    this.thread = new Thread(this::run, "load");
    this.thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  private void run() {
    try {
      load();
    } catch (RuntimeException e) {
      LOG.error("the load ends: {}", e.getMessage(), e);
      synchronized (this) {
        failure = e;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      synchronized (this) {
        done = true;
        notifyAll();
      }
    }
  }

  private void load() throws InterruptedException {
    double credit = 0;
    long last = System.nanoTime();
    while (mayGoOn()) {
      if (rowsPerSecond > 0) {
        long now = System.nanoTime();
        // After a pause it does not catch up on more than a second.
        double earned = (now - last) / 1e9 * rowsPerSecond;
        credit = Math.min(credit + earned, rowsPerSecond);
        last = now;
        if (credit <= 0) {
          sleep((long) (-credit / rowsPerSecond * 1000) + 1);
          continue;
        }
      }
      long left = targetRows - ledger.rows();
      long added = left <= 0 ? 0 : ledger.nextBatch(left);
      if (added == 0) {
        ledger.closeLastBatch();
        return;
      }
      credit -= added;
    }
  }

  private synchronized boolean mayGoOn() throws InterruptedException {
    while (paused && !closed) {
      wait();
    }
    return !closed;
  }

  private synchronized void sleep(long ms) throws InterruptedException {
    if (!closed) {
      wait(ms);
    }
  }

  synchronized void pause() {
    paused = true;
  }

  synchronized void resume() {
    paused = false;
    notifyAll();
  }

  synchronized boolean isPaused() {
    return paused;
  }

  synchronized boolean isDone() {
    return done;
  }

  /**
   * Waits for the end.
   *
   * @return false if the time was over first
   * @throws IllegalStateException if the load failed
   */
  synchronized boolean await(long timeoutMs) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    while (!done) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    if (failure != null) {
      throw new IllegalStateException("the load failed", failure);
    }
    return true;
  }

  /** What made it fail, or null. */
  synchronized RuntimeException failure() {
    return failure;
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
