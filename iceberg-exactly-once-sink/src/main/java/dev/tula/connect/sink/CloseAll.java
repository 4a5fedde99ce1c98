package dev.tula.connect.sink;

import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes one thing after the other, whatever becomes of those before: a lease that is left open
 * because a producer was interrupted would be renewed for ever, and every other writer stand by.
 */
final class CloseAll implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(CloseAll.class);

  private final List<Runnable> parts;

  private CloseAll(List<Runnable> parts) {
    this.parts = parts;
  }

  /** What closes these, in this order, and never fails; what can't be closed is logged. */
  static CloseAll of(Runnable... parts) {
    return new CloseAll(List.of(parts));
  }

  @Override
  public void run() {
    for (Runnable part : parts) {
      try {
        part.run();
      } catch (RuntimeException e) {
        LOG.warn("A part of a partition's connection could not be closed in order", e);
      }
    }
  }
}
