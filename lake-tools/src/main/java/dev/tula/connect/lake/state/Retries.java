package dev.tula.connect.lake.state;

import dev.tula.connect.sink.engine.LakeException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes a call to catalog, storage or brokers a few times if its failure may pass. */
public final class Retries {
  private static final Logger LOG = LoggerFactory.getLogger(Retries.class);
  private static final int MAX_ATTEMPTS = 4;
  private static final long FIRST_BACKOFF_MS = 500;

  private Retries() {}

  /**
   * The call's answer.
   *
   * @throws LakeException its last failure
   */
  public static <T> T call(Supplier<T> work) {
    for (int attempt = 1; ; attempt++) {
      try {
        return work.get();
      } catch (LakeException e) {
        if (!e.isRetriable() || attempt == MAX_ATTEMPTS) {
          throw e;
        }
        LOG.info("Attempt {} failed, trying again", attempt, e);
        pause(FIRST_BACKOFF_MS << attempt - 1, e);
      }
    }
  }

  private static void pause(long millis, LakeException failure) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failure;
    }
  }
}
