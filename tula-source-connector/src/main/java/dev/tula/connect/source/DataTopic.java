package dev.tula.connect.source;

import dev.tula.connect.queryport.Clock;
import dev.tula.connect.queryport.ExportFailure;
import dev.tula.connect.queryport.FailureCode;
import dev.tula.connect.queryport.LimitedLog;
import dev.tula.connect.queryport.RetryClassifier;
import dev.tula.connect.queryport.RetryPolicy;
import dev.tula.connect.queryport.Verdict;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to it, once per task and before anything is sent, that the data topic is there and fit. Safe
 * for any thread; the first one in does the work and the others wait for it.
 */
final class DataTopic {
  private static final Logger LOG = LoggerFactory.getLogger(DataTopic.class);

  private final SourceConfig config;
  private final Supplier<TopicAdmin> connect;
  private final RetryClassifier classifier;
  private final Clock clock;
  private final Random jitter = new Random();
  private final LimitedLog retryLog;
  private boolean ready;

  DataTopic(SourceConfig config, Supplier<TopicAdmin> connect, Clock clock) {
    this.config = config;
    this.connect = connect;
    this.classifier = new RetryClassifier(config.followerReads());
    this.clock = clock;
    this.retryLog = new LimitedLog(LOG, clock);
  }

  /**
   * Creates the topic if it is missing, else checks it.
   *
   * @throws ExportFailure if it is unfit, or can't be had within the limits
   */
  synchronized void ensure() throws InterruptedException {
    RetryPolicy policy = config.queryPort().retryPolicy();
    long startedMs = clock.elapsedMs();
    for (int attempt = 0; !ready; attempt++) {
      try {
        ready = attempt();
      } catch (KafkaException e) {
        if (classifier.classify(e) instanceof Verdict.Fail fail) {
          throw fail.failure();
        }
        if (clock.elapsedMs() - startedMs >= policy.timeoutMs()) {
          throw new ExportFailure(
              FailureCode.UNAVAILABLE,
              "topic " + config.topic() + " could not be looked up: " + e.getMessage(),
              e);
        }
        retryLog.warn("Topic " + config.topic() + " is looked up again: " + e.getMessage());
        clock.sleep(policy.backoffMs(attempt, jitter));
      }
    }
  }

  private boolean attempt() throws InterruptedException {
    try (TopicAdmin admin = connect.get()) {
      Optional<TopicLayout> found = admin.describe(config.topic());
      if (found.isPresent()) {
        check(found.get());
        return true;
      }
      if (admin.createDataTopic(config)) {
        LOG.info("Created topic {} with {} partitions", config.topic(), config.partitionCount());
        return true;
      }
      throw new org.apache.kafka.common.errors.TimeoutException(
          "topic " + config.topic() + " is being created by another task");
    }
  }

  private void check(TopicLayout layout) {
    List<String> problems =
        layout.problemsAsDataTopic(
            config.topic(), config.partitionCount(), config.topicRetentionMs());
    if (!problems.isEmpty()) {
      throw new ExportFailure(FailureCode.CONFIGURATION, String.join("; ", problems));
    }
  }
}
