package dev.tula.connect.sink;

import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** What the writers of a task share: threads and memory. */
final class SinkRuntime implements AutoCloseable {
  private static final long KEEP_ALIVE_S = 30;

  private final ExecutorService calls;
  private final ExecutorService files;
  private final MemoryBudget memory;

  SinkRuntime(SinkConfig config, InstantSource clock) {
    this.calls = executor("tula-commit-" + config.connectorName(), config.commitThreads());
    this.files = executor("tula-file-" + config.connectorName(), config.fileMemory().filesAtOnce());
    this.memory = new MemoryBudget(config.memoryMaxBytes(), clock);
  }

  /** For calls of catalog and brokers. */
  Executor calls() {
    return calls;
  }

  /** For writing files: its threads are so many that their memory suffices. */
  Executor files() {
    return files;
  }

  /** The memory that rows take. */
  MemoryBudget memory() {
    return memory;
  }

  @Override
  public void close() {
    calls.shutdownNow();
    files.shutdownNow();
  }

  /**
   * A pool of daemon threads, which are named {@code name} and a number, that grows to {@code
   * threads} and shrinks when idle.
   */
  private static ExecutorService executor(String name, int threads) {
    AtomicInteger count = new AtomicInteger();
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(
            threads,
            threads,
            KEEP_ALIVE_S,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            action -> {
              Thread thread = new Thread(action, name + "-" + count.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }
}
