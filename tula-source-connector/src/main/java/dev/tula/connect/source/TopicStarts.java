package dev.tula.connect.source;

import dev.tula.connect.model.Position;
import java.util.Optional;

/**
 * Where the streams in the data topic begin, by the START record that each Kafka partition begins
 * with. Not thread-safe; an interrupt ends a call that is under way.
 */
interface TopicStarts extends AutoCloseable {
  /**
   * The first committed record of a partition.
   *
   * @param offset its offset
   * @param start where the stream begins by it; empty if it is no START record, or lost its header
   */
  record First(long offset, Optional<Position> start) {}

  /**
   * Looks at the first committed record of a partition.
   *
   * @return empty while the partition holds nothing
   * @throws dev.tula.connect.queryport.ExportFailure with 88, if it begins another pipeline's or
   *     generation's stream
   * @throws org.apache.kafka.common.KafkaException whatever the client reports
   */
  Optional<First> first(int partition) throws InterruptedException;

  @Override
  void close();
}
