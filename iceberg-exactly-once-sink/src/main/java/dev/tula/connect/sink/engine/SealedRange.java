package dev.tula.connect.sink.engine;

import dev.tula.connect.model.Position;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * A range that was cut and is ready to be committed. The rows themselves stay with whoever runs the
 * effects.
 *
 * @param to its end: the end of a batch, and the next watermark
 * @param closedThroughMicros the ledger is closed through this time at {@code to}
 * @param rowsDecoded the records taken from the stream since START, up to {@code to} (C21)
 * @param kafka the first item not wholly at or below {@code to}
 * @param tables the tables that have rows in it, by logical name
 */
public record SealedRange(
    Position to,
    long closedThroughMicros,
    long rowsDecoded,
    KafkaPosition kafka,
    Map<String, SealedTable> tables) {
  /** Sorts and copies the map. */
  public SealedRange {
    Objects.requireNonNull(to, "to");
    Objects.requireNonNull(kafka, "kafka");
    tables = Collections.unmodifiableMap(new TreeMap<>(tables));
  }
}
