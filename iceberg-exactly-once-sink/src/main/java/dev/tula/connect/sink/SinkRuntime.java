package dev.tula.connect.sink;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.TopicPartition;

/**
 * What the writers of a task share, memory and the threads that write files within it, and where
 * each gets the threads that it shares with no other. Safe for any thread.
 */
final class SinkRuntime implements AutoCloseable {
  private static final long KEEP_ALIVE_S = 30;

  /** Many times the calls that a writer ever waits for: more would be a mistake of ours. */
  private static final int MAX_WAITING = 4_096;

  private final String connector;
  private final int commitThreads;
  private final FileThreads files;
  private final MemoryBudget memory;

  SinkRuntime(SinkConfig config, ElapsedTime time) {
    this.connector = config.connectorName();
    this.commitThreads = config.commitThreads();
    int filesAtOnce = config.fileMemory().filesAtOnce();
    this.files =
        new FileThreads(
            executor("tula-file-" + connector, filesAtOnce, new LinkedBlockingQueue<>()),
            filesAtOnce);
    this.memory = new MemoryBudget(config.memoryMaxBytes(), time);
  }

  /**
   * Threads for one partition's calls of catalog and brokers, {@code tula.commit.threads} at most,
   * and none while there is no call. Calls that hang hold up no other partition. The writer's to
   * shut down.
   */
  ExecutorService openCalls(TopicPartition partition) {
    return executor(
        "tula-commit-" + connector + "-" + partition,
        commitThreads,
        new LinkedBlockingQueue<>(MAX_WAITING));
  }

  /** Threads for writing one partition's files. The writer's to close. */
  FileThreads.Share openFiles() {
    return files.open();
  }

  /** The memory that rows take. */
  MemoryBudget memory() {
    return memory;
  }

  @Override
  public void close() {
    files.close();
  }

  /**
   * A pool of daemon threads, which are named {@code name} and a number, that grows to {@code
   * threads} and shrinks when idle.
   */
  private static ExecutorService executor(
      String name, int threads, BlockingQueue<Runnable> waiting) {
    AtomicInteger count = new AtomicInteger();
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(
            threads,
            threads,
            KEEP_ALIVE_S,
            TimeUnit.SECONDS,
            waiting,
            action -> {
              Thread thread = new Thread(action, name + "-" + count.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }
}
