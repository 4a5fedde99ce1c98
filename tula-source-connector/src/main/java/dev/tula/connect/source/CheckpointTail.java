package dev.tula.connect.source;

import dev.tula.connect.model.event.CheckpointEvent;
import dev.tula.connect.model.event.ClearEvent;

/**
 * The checkpoints topic's events, oldest first, over and over from where the last call ended. Not
 * thread-safe; an interrupt ends a call that is under way.
 */
interface CheckpointTail extends AutoCloseable {
  /** How far a call has come. */
  enum Reach {
    /** The topic is not there. */
    NO_TOPIC,
    /** Not all was read yet that the topic held when it was found. */
    BEHIND,
    /** All was read that the topic held when it was found. */
    THROUGH
  }

  /** Takes what a call found. */
  interface Sink {
    /** A checkpoint of any pipeline, cluster or claim, found in a partition of the topic. */
    void onCheckpoint(int topicPartition, CheckpointEvent event);

    /** A halt of any pipeline was lifted; found in a partition of the topic. */
    void onClear(int topicPartition, ClearEvent event);

    /** A record that is no event of this version. */
    void onMalformed(int topicPartition, long offset, RuntimeException error);
  }

  /**
   * Waits a while for events. As long as it is behind, a checkpoint may have been followed by
   * something that takes it back.
   *
   * @throws org.apache.kafka.common.KafkaException whatever the client reports
   * @throws dev.tula.connect.queryport.ExportFailure if the topic is not what it must be
   */
  Reach poll(long waitMs, Sink sink) throws InterruptedException;

  @Override
  void close();
}
