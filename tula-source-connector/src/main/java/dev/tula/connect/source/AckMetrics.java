package dev.tula.connect.source;

/** What the lake holds durably, and what the engine was told of it. */
public interface AckMetrics {
  /** The batch of the newest checkpoint; 0 before the first. */
  long getCheckpointGlobalBatchSeq();

  /** The batch that was acked last; 0 before the first. */
  long getAckedGlobalBatchSeq();

  /** The batch that the engine credits this pipeline with; 0 before the first ack. */
  long getCreditedGlobalBatchSeq();

  /** Acks that the engine took. */
  long getAcksTotal();

  /** Attempts to ack that failed and are repeated. */
  long getAckErrorsTotal();

  /** 1 while there is no checkpoints topic, and so no ack. */
  int getCheckpointsTopicMissing();

  /** Records of the checkpoints topic that are no events. */
  long getMalformedCheckpointsTotal();
}
