package dev.tula.connect.source;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * Between the fetch threads and {@code poll()}: whole pages in, parts of one page out, bounded by
 * the bytes that the waiting pages hold. One page always fits, however large. Pages of one
 * partition leave in the order in which they came. Safe for any thread.
 */
final class PageQueue {
  private final long maxBytes;
  private final int maxRecords;
  private final ReentrantLock lock = new ReentrantLock(true);
  private final Condition changed = lock.newCondition();
  private final Deque<Waiting> pages = new ArrayDeque<>();
  private long bytes;
  private boolean closed;

  /** A queue of up to so many bytes, whose parts have up to so many records. */
  PageQueue(long maxBytes, int maxRecords) {
    this.maxBytes = maxBytes;
    this.maxRecords = maxRecords;
  }

  private static final class Waiting {
    private final List<SourceRecord> records;
    private final long bytes;
    private int handedOut;

    private Waiting(List<SourceRecord> records, long bytes) {
      this.records = records;
      this.bytes = bytes;
    }
  }

  /**
   * Puts a page in, once there is room.
   *
   * @param records the page's records; not empty, and not changed afterwards
   * @param pageBytes the memory that they hold
   * @return whether it went in; false if there was no room in time, or the queue is closed
   */
  boolean offer(List<SourceRecord> records, long pageBytes, long waitMs)
      throws InterruptedException {
    long leftNanos = TimeUnit.MILLISECONDS.toNanos(waitMs);
    lock.lockInterruptibly();
    try {
      while (!closed && bytes > 0 && bytes + pageBytes > maxBytes) {
        if (leftNanos <= 0) {
          return false;
        }
        leftNanos = changed.awaitNanos(leftNanos);
      }
      if (closed) {
        return false;
      }
      pages.add(new Waiting(records, pageBytes));
      bytes += pageBytes;
      changed.signalAll();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** The next records, or empty if none came in time. A closed queue still gives what is in it. */
  Optional<RecordBatch> poll(long waitMs) throws InterruptedException {
    long leftNanos = TimeUnit.MILLISECONDS.toNanos(waitMs);
    lock.lockInterruptibly();
    try {
      while (pages.isEmpty()) {
        if (closed || leftNanos <= 0) {
          return Optional.empty();
        }
        leftNanos = changed.awaitNanos(leftNanos);
      }
      return Optional.of(take());
    } finally {
      lock.unlock();
    }
  }

  private RecordBatch take() {
    Waiting page = pages.element();
    int from = page.handedOut;
    int to = from + Math.min(page.records.size() - from, maxRecords);
    page.handedOut = to;
    boolean endsPage = to == page.records.size();
    if (endsPage) {
      pages.remove();
      bytes -= page.bytes;
      changed.signalAll();
    }
    return new RecordBatch(page.records.subList(from, to), endsPage);
  }

  /** Takes no more pages. What is in it can still be polled. */
  void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Whether it takes no more pages. */
  boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  /** The bytes that the waiting pages hold. */
  long bytes() {
    lock.lock();
    try {
      return bytes;
    } finally {
      lock.unlock();
    }
  }
}
