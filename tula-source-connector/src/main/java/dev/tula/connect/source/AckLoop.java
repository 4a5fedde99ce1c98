package dev.tula.connect.source;

import dev.tula.connect.model.event.CheckpointEvent;
import dev.tula.connect.model.event.ClearEvent;
import dev.tula.connect.queryport.Clock;
import dev.tula.connect.queryport.ExportFailure;
import dev.tula.connect.queryport.FailureCode;
import dev.tula.connect.queryport.LimitedLog;
import dev.tula.connect.queryport.RetryClassifier;
import dev.tula.connect.queryport.RetryPolicy;
import dev.tula.connect.queryport.Verdict;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries checkpoints to the engine: tails this task's partitions of the checkpoints topic, and
 * acks each new maximum (I4). On a thread of its own, because neither polling nor Connect's
 * committer may wait for the engine.
 */
final class AckLoop implements Runnable, CheckpointTail.Sink {
  private static final Logger LOG = LoggerFactory.getLogger(AckLoop.class);
  private static final long POLL_MS = 250;

  private final Supplier<CheckpointTail> tails;
  private final Map<Integer, AckSender> senders;
  private final Map<Integer, PartitionMetrics> metrics;
  private final RetryPolicy retryPolicy;
  private final RetryClassifier classifier = new RetryClassifier(false);
  private final Clock clock;
  private final TaskFailure failure;
  private final LimitedLog missingLog;
  private final LimitedLog malformedLog;
  private final LimitedLog brokerLog;
  private final Random jitter = new Random();

  private volatile boolean stopped;
  private boolean knowsTheTopic;
  private final Outage outage = new Outage();

  /** Both maps are by export partition, which is the topic's partition too. */
  AckLoop(
      Supplier<CheckpointTail> tails,
      Map<Integer, AckSender> senders,
      Map<Integer, PartitionMetrics> metrics,
      RetryPolicy retryPolicy,
      Clock clock,
      TaskFailure failure) {
    this.tails = tails;
    this.senders = Map.copyOf(senders);
    this.metrics = Map.copyOf(metrics);
    this.retryPolicy = retryPolicy;
    this.clock = clock;
    this.failure = failure;
    this.missingLog = new LimitedLog(LOG, clock);
    this.malformedLog = new LimitedLog(LOG, clock);
    this.brokerLog = new LimitedLog(LOG, clock);
  }

  @Override
  public void run() {
    try {
      tailCheckpoints();
    } catch (InterruptedException e) {
      // That is how it is stopped.
      LOG.debug("The ack loop was stopped");
    } catch (RuntimeException | Error e) {
      if (!stopped) {
        metrics.values().forEach(each -> each.onFailure(e));
        failure.fail(e);
      }
    } finally {
      senders.values().forEach(AckSender::close);
    }
  }

  private void tailCheckpoints() throws InterruptedException {
    CheckpointTail opened = tails.get();
    try {
      while (!stopped) {
        step(opened);
      }
    } finally {
      // The interrupt that ended the loop must not end the closing too.
      Thread.interrupted();
      opened.close();
    }
  }

  /**
   * Takes what is new, and acks what is due; nothing is due before all is known that the topic held
   * at first, since a checkpoint in it may have been taken back by an accepted rewind (C8).
   */
  void step(CheckpointTail events) throws InterruptedException {
    try {
      CheckpointTail.Reach reach = events.poll(POLL_MS, this);
      boolean missing = reach == CheckpointTail.Reach.NO_TOPIC;
      knowsTheTopic |= reach == CheckpointTail.Reach.THROUGH;
      metrics.values().forEach(each -> each.checkpointsTopicMissing(missing));
      if (missing) {
        missingLog.warn(
            "There is no checkpoints topic yet, so nothing is acked; the sink creates it");
      }
      outage.over();
    } catch (KafkaException e) {
      onKafkaError(e);
    }
    if (knowsTheTopic) {
      for (AckSender sender : senders.values()) {
        sender.ackIfDue();
      }
    }
  }

  private void onKafkaError(KafkaException error) throws InterruptedException {
    if (classifier.classify(error) instanceof Verdict.Fail fail) {
      throw fail.failure();
    }
    metrics.values().forEach(PartitionMetrics::onAckError);
    brokerLog.warn("The checkpoints topic can't be read and is tried again: " + error.getMessage());
    long failingMs = outage.failed(clock.elapsedMs());
    if (failingMs >= retryPolicy.timeoutMs()) {
      throw new ExportFailure(
          FailureCode.UNAVAILABLE,
          "the checkpoints topic could not be read for "
              + failingMs
              + " ms, so nothing is acked: "
              + error.getMessage(),
          error);
    }
    clock.sleep(retryPolicy.backoffMs(outage.repeats(), jitter));
  }

  @Override
  public void onCheckpoint(int topicPartition, CheckpointEvent event) {
    AckSender sender = senders.get(topicPartition);
    if (sender != null) {
      sender.observe(event);
    }
  }

  @Override
  public void onClear(int topicPartition, ClearEvent event) {
    AckSender sender = senders.get(topicPartition);
    if (sender != null) {
      sender.observe(event);
    }
  }

  @Override
  public void onMalformed(int topicPartition, long offset, RuntimeException error) {
    PartitionMetrics counted = metrics.get(topicPartition);
    if (counted != null) {
      counted.onMalformedCheckpoint();
    }
    malformedLog.warn(
        "The checkpoints topic's partition "
            + topicPartition
            + " holds at offset "
            + offset
            + " what is no event, which acks nothing: "
            + error.getMessage());
  }

  /**
   * Lets it end, once its thread was interrupted: the interrupt comes first, so that the thread can
   * only leave the loop with it, and then close what it opened undisturbed.
   */
  void stop() {
    stopped = true;
    senders.values().forEach(AckSender::close);
  }
}
