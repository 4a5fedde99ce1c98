package dev.tula.connect.source;

import dev.tula.connect.queryport.ClientObserver;
import dev.tula.connect.queryport.Clock;
import dev.tula.connect.queryport.ExportFailure;
import dev.tula.connect.queryport.FailureCode;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.common.errors.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to it, once per task and before anything is sent, that the data topic is there and fit, and
 * that both topics are of this N: neither can be read on with another. Safe for any thread; the
 * first one in does the work and the others wait for it.
 */
final class DataTopic {
  private static final Logger LOG = LoggerFactory.getLogger(DataTopic.class);

  private final SourceConfig config;
  private final Supplier<TopicAdmin> connect;
  private final Clock clock;
  private boolean ready;

  DataTopic(SourceConfig config, Supplier<TopicAdmin> connect, Clock clock) {
    this.config = config;
    this.connect = connect;
    this.clock = clock;
  }

  /**
   * Creates the topic if it is missing, else checks it.
   *
   * @param observer is told of what had to be repeated
   * @throws ExportFailure with 88, if a topic is of another N; or if the data topic is unfit
   *     otherwise, or can't be had within the limits
   */
  synchronized void ensure(ClientObserver observer) throws InterruptedException {
    if (!ready) {
      BrokerRetries retries = new BrokerRetries(config, clock, observer);
      ready = retries.call("topic " + config.topic() + " could not be looked up", this::attempt);
    }
  }

  private boolean attempt() throws InterruptedException {
    try (TopicAdmin admin = connect.get()) {
      Optional<TopicLayout> found = admin.describe(config.topic());
      failOn(
          FailureCode.IDENTITY,
          Stream.of(
                  partitionProblem(config.topic(), found.map(TopicLayout::partitions)),
                  partitionProblem(config.checkpointsTopic(), checkpointsPartitions(admin)))
              .flatMap(Optional::stream)
              .toList());
      if (found.isPresent()) {
        failOn(
            FailureCode.CONFIGURATION,
            found.get().unfitAsDataTopic(config.topic(), config.topicRetentionMs()));
        return true;
      }
      return create(admin);
    }
  }

  private Optional<String> partitionProblem(String topic, Optional<Integer> partitions) {
    return partitions.flatMap(
        count -> TopicLayout.partitionProblem(topic, count, config.partitionCount()));
  }

  /** With follower reads nobody reads it, nor has to have the right to. */
  private Optional<Integer> checkpointsPartitions(TopicAdmin admin) throws InterruptedException {
    return config.followerReads() ? Optional.empty() : admin.partitions(config.checkpointsTopic());
  }

  private boolean create(TopicAdmin admin) throws InterruptedException {
    if (admin.createDataTopic(config)) {
      LOG.info("Created topic {} with {} partitions", config.topic(), config.partitionCount());
      return true;
    }
    throw new TimeoutException("topic " + config.topic() + " is being created by another task");
  }

  private static void failOn(FailureCode code, List<String> problems) {
    if (!problems.isEmpty()) {
      throw new ExportFailure(code, String.join("; ", problems));
    }
  }
}
