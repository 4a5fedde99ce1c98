package dev.tula.connect.lake.clear;

import dev.tula.connect.lake.state.Halt;
import dev.tula.connect.model.Position;
import java.util.Optional;

/**
 * What is done, or would be, about one halt.
 *
 * @param partition the export partition
 * @param halt the halt, as it was found
 * @param publish whether an event is to say that it was cleared
 * @param record whether the watermark table is to say so
 * @param acceptedRewind the watermark to which the lake was set back, where that is accepted (C8)
 * @param warning what else to know
 */
public record Clearing(
    int partition,
    Halt halt,
    boolean publish,
    boolean record,
    Optional<Position> acceptedRewind,
    Optional<String> warning) {

  Clearing warning(String text) {
    return new Clearing(partition, halt, publish, record, acceptedRewind, Optional.of(text));
  }
}
