package dev.tula.connect.sink.engine;

import dev.tula.connect.model.Position;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * What only the watermark table's state holds.
 *
 * @param tables every data table, by logical name, as it was at W
 * @param rowsDecoded the records taken from the stream up to W: equal to the sum of the tables'
 *     rows (C21)
 * @param startFrom where the stream began; absent before the first watermark
 * @param startFloorTimeMicros the floor time of START
 * @param kafka where to read on; absent before the first watermark
 */
public record WatermarkState(
    Map<String, TableAtWatermark> tables,
    long rowsDecoded,
    Optional<Position> startFrom,
    OptionalLong startFloorTimeMicros,
    Optional<KafkaPosition> kafka) {
  /** Sorts and copies the map. */
  public WatermarkState {
    tables = Collections.unmodifiableMap(new TreeMap<>(tables));
    Objects.requireNonNull(startFrom, "startFrom");
    Objects.requireNonNull(startFloorTimeMicros, "startFloorTimeMicros");
    Objects.requireNonNull(kafka, "kafka");
  }

  /** The sum of the tables' rows at W. */
  public long totalRows() {
    return tables.values().stream().mapToLong(TableAtWatermark::totalRows).sum();
  }
}
