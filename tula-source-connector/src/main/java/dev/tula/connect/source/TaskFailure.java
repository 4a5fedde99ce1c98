package dev.tula.connect.source;

import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.connect.errors.ConnectException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The first failure of a task's background threads. It closes the queue, so that {@code poll()}
 * hands out what was read before it and then throws it. Safe for any thread.
 */
final class TaskFailure {
  private static final Logger LOG = LoggerFactory.getLogger(TaskFailure.class);

  private final AtomicReference<Throwable> first = new AtomicReference<>();
  private final PageQueue queue;

  TaskFailure(PageQueue queue) {
    this.queue = queue;
  }

  /** Records a failure. Only the first counts, later ones are logged. */
  void fail(Throwable failure) {
    if (first.compareAndSet(null, failure)) {
      LOG.error("The task fails: {}", failure.getMessage(), failure);
    } else {
      LOG.warn("After the task's first failure: {}", failure.getMessage(), failure);
    }
    queue.close();
  }

  /**
   * Throws the failure, if there is one.
   *
   * @throws RuntimeException the failure itself, or a {@link ConnectException} around an error
   */
  void throwIfFailed() {
    Throwable failure = first.get();
    if (failure instanceof RuntimeException runtime) {
      throw runtime;
    }
    if (failure != null) {
      throw new ConnectException(failure.getMessage(), failure);
    }
  }
}
