package dev.tula.connect.source;

import dev.tula.connect.model.ConnectRecords;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.model.StreamItem;
import java.util.Map;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * Makes the Connect records of one export partition. A row's bytes are not touched: the value
 * carries them. Immutable, and safe for any thread.
 */
final class StreamRecords {
  private static final long MICROS_PER_MS = 1_000;

  private final String topic;
  private final Integer kafkaPartition;
  private final String clusterId;
  private final SourceOffset.RecordMode mode;
  private final Map<String, Object> sourcePartition;

  StreamRecords(String topic, StreamIdentity identity) {
    this.topic = topic;
    this.kafkaPartition = identity.partition();
    this.clusterId = identity.clusterId();
    this.mode = SourceOffset.RecordMode.of(identity);
    this.sourcePartition = SourcePartition.of(identity).asMap();
  }

  /** The record of an item, whose source offset is what the item proves. */
  SourceRecord of(StreamItem item, Position provesTo) {
    SchemaAndValue value = ConnectRecords.toConnect(item);
    SourceRecord record =
        new SourceRecord(
            sourcePartition,
            new SourceOffset(provesTo, clusterId, mode),
            topic,
            kafkaPartition,
            null,
            null,
            value.schema(),
            value.value(),
            timestampMs(item));
    if (item instanceof StreamItem.Start start) {
      StartHeader.addTo(record.headers(), start);
    }
    return record;
  }

  /** Kafka takes no time before 1970; such a record gets the time of its sending. */
  private static Long timestampMs(StreamItem item) {
    long ms = Math.floorDiv(micros(item), MICROS_PER_MS);
    return ms < 0 ? null : ms;
  }

  private static long micros(StreamItem item) {
    if (item instanceof StreamItem.Row row) {
      return row.row().recordedAtMicros();
    }
    return item instanceof StreamItem.Coverage coverage
        ? coverage.closedThroughMicros()
        : ((StreamItem.Start) item).floorTimeMicros();
  }
}
