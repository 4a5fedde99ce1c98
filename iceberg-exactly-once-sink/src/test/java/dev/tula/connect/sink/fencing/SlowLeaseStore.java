package dev.tula.connect.sink.fencing;

import java.util.Optional;

/**
 * A store whose changes wait until it is told to answer, deaf to interrupts as a database's driver
 * is, and are made then. Safe for any thread.
 */
final class SlowLeaseStore implements LeaseStore {
  private final LeaseStore delegate;
  private boolean hanging = true;
  private int begun;
  private int done;

  SlowLeaseStore(LeaseStore delegate) {
    this.delegate = delegate;
  }

  synchronized void hang() {
    hanging = true;
  }

  synchronized void answer() {
    hanging = false;
    notifyAll();
  }

  synchronized void awaitBegun(int swaps) {
    while (begun < swaps) {
      await();
    }
  }

  synchronized void awaitDone(int swaps) {
    while (done < swaps) {
      await();
    }
  }

  private synchronized void await() {
    try {
      wait();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public Optional<LeaseRecord> read(String name) {
    return delegate.read(name);
  }

  @Override
  public synchronized boolean swap(String name, Optional<LeaseRecord> expected, LeaseRecord next) {
    begun++;
    notifyAll();
    boolean interrupted = false;
    while (hanging) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    boolean swapped = delegate.swap(name, expected, next);
    done++;
    notifyAll();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return swapped;
  }
}
