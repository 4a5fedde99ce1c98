package dev.tula.connect.sink.lake;

import dev.tula.connect.sink.engine.LakeException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Gives every call to a catalog or an object store a time limit, whatever its client's own
 * time-outs are. A call that runs over is interrupted and left behind; there can't be more than
 * {@link #MAX_THREADS} at a time. Safe for any thread.
 */
final class TimedCalls implements AutoCloseable {
  static final int MAX_THREADS = 64;

  private static final long IDLE_SECONDS = 30;

  private final ThreadPoolExecutor executor;

  /** The caller stopped waiting; the call may still be running. */
  static final class AbandonedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    AbandonedException(String message) {
      super(message);
    }
  }

  /**
   * @param name what the threads are called
   */
  TimedCalls(String name) {
    AtomicInteger number = new AtomicInteger();
    this.executor =
        new ThreadPoolExecutor(
            0,
            MAX_THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            work -> {
              Thread thread = new Thread(work, name + "-" + number.incrementAndGet());
              thread.setDaemon(true);
              // Iceberg finds catalogs and FileIOs by name through the thread's loader.
              thread.setContextClassLoader(TimedCalls.class.getClassLoader());
              return thread;
            });
  }

  /**
   * Makes a call and waits for it.
   *
   * @param what what it does, for messages
   * @throws AbandonedException if it took longer, or the caller was interrupted, which then stays
   *     interrupted
   */
  <T> T call(String what, Duration limit, Supplier<T> work) {
    Future<T> future = submit(what, work);
    try {
      return future.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      future.cancel(true);
      throw new AbandonedException(what + " took longer than " + limit.toMillis() + " ms");
    } catch (InterruptedException e) {
      future.cancel(true);
      Thread.currentThread().interrupt();
      throw new AbandonedException(what + " was interrupted");
    } catch (ExecutionException e) {
      throw rethrown(e.getCause());
    }
  }

  /**
   * Makes a call for something that must be closed, and waits for it. What came in the very moment
   * in which the caller gave up is returned all the same.
   *
   * @param what what it does, for messages
   * @param late closes what comes later, on the call's thread
   * @throws AbandonedException as the other
   */
  <T> T call(String what, Duration limit, Supplier<T> work, Consumer<? super T> late) {
    CompletableFuture<T> awaited = new CompletableFuture<>();
    try {
      return call(what, limit, () -> handedOver(work.get(), awaited, late));
    } catch (AbandonedException e) {
      if (awaited.cancel(false)) {
        throw e;
      }
      return awaited.join();
    }
  }

  private static <T> T handedOver(T made, CompletableFuture<T> awaited, Consumer<? super T> late) {
    if (!awaited.complete(made)) {
      late.accept(made);
    }
    return made;
  }

  private <T> Future<T> submit(String what, Supplier<T> work) {
    try {
      return executor.submit(work::get);
    } catch (RejectedExecutionException e) {
      throw LakeException.passing(
          executor.isShutdown()
              ? what + ": the lake is closed"
              : what + ": " + MAX_THREADS + " earlier calls to the catalog or the store hang",
          e);
    }
  }

  private static RuntimeException rethrown(Throwable cause) {
    if (cause instanceof Error error) {
      throw error;
    }
    return cause instanceof RuntimeException runtime ? runtime : new IllegalStateException(cause);
  }

  /** Interrupts what runs. */
  @Override
  public void close() {
    executor.shutdownNow();
  }
}
