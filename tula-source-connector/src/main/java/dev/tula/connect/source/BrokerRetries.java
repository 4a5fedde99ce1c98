package dev.tula.connect.source;

import dev.tula.connect.queryport.ClientObserver;
import dev.tula.connect.queryport.Clock;
import dev.tula.connect.queryport.ExportFailure;
import dev.tula.connect.queryport.FailureCode;
import dev.tula.connect.queryport.LimitedLog;
import dev.tula.connect.queryport.RetryClassifier;
import dev.tula.connect.queryport.RetryPolicy;
import dev.tula.connect.queryport.Verdict;
import java.util.Random;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repeats what the brokers refuse for the moment, with a back-off and within {@code
 * tula.retry.timeout.ms}. Not thread-safe.
 */
final class BrokerRetries {
  private static final Logger LOG = LoggerFactory.getLogger(BrokerRetries.class);

  private final RetryPolicy policy;
  private final RetryClassifier classifier;
  private final Clock clock;
  private final ClientObserver observer;
  private final LimitedLog log;
  private final Random jitter = new Random();

  /** With somebody who is told of each repetition. */
  BrokerRetries(SourceConfig config, Clock clock, ClientObserver observer) {
    this.policy = config.queryPort().retryPolicy();
    this.classifier = new RetryClassifier(config.followerReads());
    this.clock = clock;
    this.observer = observer;
    this.log = new LimitedLog(LOG, clock);
  }

  /** What is asked of the brokers. */
  @FunctionalInterface
  interface Attempt<T> {
    /**
     * Asks once.
     *
     * @throws KafkaException whatever the client reports
     */
    T ask() throws InterruptedException;
  }

  /**
   * Asks until there is an answer.
   *
   * @param what is asked, as in {@code "topic t could not be read"}
   * @throws ExportFailure if the brokers refuse for good, or for too long
   */
  <T> T call(String what, Attempt<T> attempt) throws InterruptedException {
    long startedMs = clock.elapsedMs();
    for (int failures = 0; ; failures++) {
      try {
        return attempt.ask();
      } catch (KafkaException e) {
        if (classifier.classify(e) instanceof Verdict.Fail fail) {
          throw fail.failure();
        }
        String problem = what + ": " + e.getMessage();
        if (clock.elapsedMs() - startedMs >= policy.timeoutMs()) {
          throw new ExportFailure(FailureCode.UNAVAILABLE, problem, e);
        }
        observer.onRetry(e);
        log.warn("It is tried again: " + problem);
        clock.sleep(policy.backoffMs(failures, jitter));
      }
    }
  }
}
