package dev.tula.connect.source;

import dev.tula.connect.model.event.CheckpointEvent;

/**
 * The checkpoints topic's events, oldest first, over and over from where the last call ended. Not
 * thread-safe; an interrupt ends a call that is under way.
 */
interface CheckpointTail extends AutoCloseable {
  /** Takes what a call found. */
  interface Sink {
    /** A checkpoint of any pipeline, cluster or claim, found in a partition of the topic. */
    void onCheckpoint(int topicPartition, CheckpointEvent event);

    /** A record that is no event of this version. */
    void onMalformed(int topicPartition, long offset, RuntimeException error);
  }

  /**
   * Waits a while for events.
   *
   * @return whether the topic is there
   * @throws org.apache.kafka.common.KafkaException whatever the client reports
   * @throws dev.tula.connect.queryport.ExportFailure if the topic is not what it must be
   */
  boolean poll(long waitMs, Sink sink) throws InterruptedException;

  @Override
  void close();
}
