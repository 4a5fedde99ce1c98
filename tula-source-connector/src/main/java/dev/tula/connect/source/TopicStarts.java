package dev.tula.connect.source;

import dev.tula.connect.model.Position;
import java.util.Optional;

/**
 * Where the streams in the data topic begin, by the START record that each Kafka partition begins
 * with. Not thread-safe; an interrupt ends a call that is under way.
 */
interface TopicStarts extends AutoCloseable {
  /**
   * Looks at the first committed record of a partition.
   *
   * @return where its stream begins; empty while the partition holds nothing
   * @throws dev.tula.connect.queryport.ExportFailure if it begins with anything else than START
   * @throws org.apache.kafka.common.KafkaException whatever the client reports
   */
  Optional<Position> start(int partition) throws InterruptedException;

  @Override
  void close();
}
