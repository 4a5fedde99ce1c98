package dev.tula.connect.sink;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The threads that a task's effects run on. */
final class SinkRuntime {
  private static final long KEEP_ALIVE_S = 30;

  private SinkRuntime() {}

  /** A pool of daemon threads that grows to {@code threads} and shrinks when idle. */
  static ExecutorService executor(String connector, int threads) {
    AtomicInteger count = new AtomicInteger();
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(
            threads,
            threads,
            KEEP_ALIVE_S,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            action -> {
              Thread thread =
                  new Thread(action, "tula-commit-" + connector + "-" + count.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }
}
