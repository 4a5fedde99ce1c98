package dev.tula.connect.sink;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;

/**
 * The threads that a task writes files with, so many that their memory suffices, see {@link
 * FileMemory}. Each partition may use an even part of them, at least one, so that files of one
 * partition that hang leave the others theirs. Where there are more partitions than threads, so
 * many partitions must hang to hold up the others, and each only for as long as one file may take;
 * so long, too, one that comes while others have its part may wait for it.
 *
 * <p>Safe for any thread.
 */
final class FileThreads implements AutoCloseable {
  private final ExecutorService threads;
  private final int filesAtOnce;
  private final Set<Share> shares = new HashSet<>();
  private boolean closed;

  /**
   * @param threads {@code filesAtOnce} of them, with a queue that takes all; closed with this
   */
  FileThreads(ExecutorService threads, int filesAtOnce) {
    this.threads = threads;
    this.filesAtOnce = filesAtOnce;
  }

  /** A partition's part, from now until it is closed. */
  synchronized Share open() {
    Share share = new Share();
    shares.add(share);
    return share;
  }

  private int limit() {
    return Math.max(1, filesAtOnce / Math.max(1, shares.size()));
  }

  /** Interrupts what runs. Nothing begins any more. */
  @Override
  public synchronized void close() {
    closed = true;
    threads.shutdownNow();
  }

  /** What one partition writes files with. No more wait in it than a range has tables. */
  final class Share implements Executor, AutoCloseable {
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private int running;

    private Share() {}

    @Override
    public void execute(Runnable file) {
      synchronized (FileThreads.this) {
        waiting.add(file);
        launch();
      }
    }

    private void launch() {
      while (!closed && running < limit() && !waiting.isEmpty()) {
        launch(waiting.remove());
      }
    }

    /** Where there is no thread to be had, the file waits for the next occasion. */
    private void launch(Runnable file) {
      running++;
      boolean launched = false;
      try {
        threads.execute(() -> run(file));
        launched = true;
      } finally {
        if (!launched) {
          running--;
          waiting.addFirst(file);
        }
      }
    }

    private void run(Runnable file) {
      try {
        file.run();
      } finally {
        synchronized (FileThreads.this) {
          running--;
          launch();
        }
      }
    }

    /** Forgets what has not begun, and leaves its part to the others. */
    @Override
    public void close() {
      synchronized (FileThreads.this) {
        waiting.clear();
        shares.remove(this);
        shares.forEach(Share::launch);
      }
    }
  }
}
