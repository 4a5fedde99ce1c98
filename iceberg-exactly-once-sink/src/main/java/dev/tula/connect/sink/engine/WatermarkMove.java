package dev.tula.connect.sink.engine;

import dev.tula.connect.model.Position;

/**
 * What the next watermark commit says.
 *
 * @param from the watermark before
 * @param to the watermark after
 * @param closedThroughMicros the ledger is closed through this time at {@code to}
 * @param kafka where to read on
 * @param state what the watermark table's state will hold; the tables as they are now
 */
public record WatermarkMove(
    Position from,
    Position to,
    long closedThroughMicros,
    KafkaPosition kafka,
    WatermarkState state) {}
