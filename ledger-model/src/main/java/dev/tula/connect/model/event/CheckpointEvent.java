package dev.tula.connect.model.event;

import dev.tula.connect.model.Position;
import java.time.Instant;

/**
 * Says that every table holds all rows of its partition at or below {@code to}, and that the
 * watermark says so (I2). It is what an ack rests on (I4).
 *
 * @param identity whose
 * @param epoch the writer's epoch
 * @param claim the writer's claim number, n
 * @param writerId the writer
 * @param from the watermark before
 * @param to the watermark, W
 * @param closedThroughMicros µs since the epoch
 * @param kafkaTopic the data topic
 * @param kafkaPartition its partition
 * @param kafkaOffset the offset of the first item not wholly at or below {@code to}
 * @param at when it was published
 */
public record CheckpointEvent(
    EventIdentity identity,
    long epoch,
    long claim,
    String writerId,
    Position from,
    Position to,
    long closedThroughMicros,
    String kafkaTopic,
    int kafkaPartition,
    long kafkaOffset,
    Instant at)
    implements LakeEvent {
  static final String TYPE = "checkpoint";

  @Override
  public String type() {
    return TYPE;
  }

  @Override
  public String key() {
    return EventWriter.key(this).put("epoch", epoch).put("n", claim).json();
  }

  @Override
  public String value() {
    return EventWriter.value(this)
        .put("epoch", epoch)
        .put("n", claim)
        .put("writer_id", writerId)
        .put("from", from)
        .put("to", to)
        .put("closed_through", closedThroughMicros)
        .put("kafka_topic", kafkaTopic)
        .put("kafka_partition", kafkaPartition)
        .put("kafka_offset", kafkaOffset)
        .putAt(at)
        .json();
  }

  static CheckpointEvent read(EventReader reader) {
    return new CheckpointEvent(
        EventIdentity.read(reader),
        reader.number("epoch"),
        reader.number("n"),
        reader.text("writer_id"),
        reader.position("from"),
        reader.position("to"),
        reader.number("closed_through"),
        reader.text("kafka_topic"),
        reader.integer("kafka_partition"),
        reader.number("kafka_offset"),
        reader.instant("at"));
  }
}
