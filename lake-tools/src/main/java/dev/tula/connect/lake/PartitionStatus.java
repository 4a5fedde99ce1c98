package dev.tula.connect.lake;

import dev.tula.connect.lake.output.Format;
import dev.tula.connect.lake.state.Halt;
import dev.tula.connect.lake.state.PartitionReading;
import dev.tula.connect.lake.state.TableReading;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.event.CheckpointEvent;
import dev.tula.connect.sink.engine.KafkaPosition;
import dev.tula.connect.sink.engine.TableAtWatermark;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.engine.WatermarkState;
import dev.tula.connect.sink.engine.WriterClaim;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Where a partition stands.
 *
 * @param partition the export partition
 * @param watermark W; absent before the first
 * @param closedThrough the ledger is closed through this time at W
 * @param lag how long that was ago
 * @param claim the newest writer's claim
 * @param rows the rows in the tables at W
 * @param kafka where the sink reads on
 * @param checkpoint the newest checkpoint
 * @param tables the tables
 * @param halts the halts in force
 * @param problems what is wrong with the tables
 */
record PartitionStatus(
    int partition,
    Optional<Position> watermark,
    Optional<Instant> closedThrough,
    Optional<Duration> lag,
    Optional<WriterClaim> claim,
    OptionalLong rows,
    Optional<KafkaPosition> kafka,
    Optional<CheckpointEvent> checkpoint,
    List<TableStatus> tables,
    List<Halt> halts,
    List<String> problems) {

  /**
   * Where a table stands.
   *
   * @param table its logical name
   * @param name its name in the catalog
   * @param rows its rows, by its state
   * @param end where its last range ends
   * @param ahead whether that is above W
   */
  record TableStatus(
      String table, String name, OptionalLong rows, Optional<Position> end, boolean ahead) {}

  static PartitionStatus of(PartitionReading reading, List<String> problems, Instant now) {
    Optional<Instant> closedThrough =
        reading
            .state()
            .filter(state -> state.closedThroughMicros().isPresent())
            .map(state -> Format.instant(state.closedThroughMicros().getAsLong()));
    return new PartitionStatus(
        reading.partition(),
        reading.position(),
        closedThrough,
        closedThrough.map(time -> Duration.between(time, now)),
        reading.state().map(TableState::claim),
        reading.watermarkState().map(PartitionStatus::rows).orElse(OptionalLong.empty()),
        reading.watermarkState().flatMap(WatermarkState::kafka),
        reading.events().view().newestCheckpoint(),
        reading.tables().stream().map(table -> table(reading, table)).toList(),
        reading.haltsInForce(),
        problems);
  }

  private static OptionalLong rows(WatermarkState state) {
    return OptionalLong.of(state.totalRows());
  }

  private static TableStatus table(PartitionReading reading, TableReading table) {
    Optional<Position> stood =
        reading
            .watermarkState()
            .map(state -> state.tables().get(table.table().name()))
            .flatMap(TableAtWatermark::to);
    return new TableStatus(
        table.table().name(),
        table.name(),
        table.state().map(state -> OptionalLong.of(state.totalRows())).orElse(OptionalLong.empty()),
        table.state().flatMap(state -> state.to().or(() -> stood)),
        reading.aheadAt(table).isPresent());
  }

  /** The tables above W. */
  List<TableStatus> tablesAhead() {
    return tables.stream().filter(TableStatus::ahead).toList();
  }
}
