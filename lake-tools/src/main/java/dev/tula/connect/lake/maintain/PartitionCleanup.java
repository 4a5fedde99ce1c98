package dev.tula.connect.lake.maintain;

import dev.tula.connect.lake.output.Progress;
import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.lake.state.PartitionReading;
import dev.tula.connect.lake.state.Retries;
import dev.tula.connect.lake.state.TableReading;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.MalformedStateException;
import dev.tula.connect.sink.engine.TableAtWatermark;
import dev.tula.connect.sink.engine.TableNames;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.engine.TableView;
import dev.tula.connect.sink.lake.IcebergLake;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Cleans up the tables of one partition, the watermark table among them. A table that can't be
 * cleaned up does not keep the others from it.
 *
 * <p>For one thread, and used once.
 */
public final class PartitionCleanup {
  private final IcebergLake lake;
  private final PartitionReading reading;
  private final Retention retention;
  private final Optional<Instant> orphansOlderThan;
  private final Progress progress;

  /**
   * @param lake the partition's
   * @param reading the partition, which must be sound
   * @param retention which snapshots stay
   * @param orphansOlderThan orphans that are younger stay; absent where they are not looked for
   * @param progress shows how far it has come
   */
  public PartitionCleanup(
      IcebergLake lake,
      PartitionReading reading,
      Retention retention,
      Optional<Instant> orphansOlderThan,
      Progress progress) {
    this.lake = lake;
    this.reading = reading;
    this.retention = retention;
    this.orphansOlderThan = orphansOlderThan;
    this.progress = progress;
  }

  /**
   * Plans, or does it.
   *
   * @param execute whether to do it
   */
  public List<CleanupResult> run(boolean execute) {
    List<CleanupResult> results = new ArrayList<>();
    for (TableReading table : reading.tables()) {
      results.add(run(table.table().name(), table.name(), execute));
    }
    results.add(run(TableNames.WATERMARK, reading.watermarkName(), execute));
    return results;
  }

  private CleanupResult run(String table, String name, boolean execute) {
    String what = "partition " + reading.partition() + ": files of " + name + " deleted";
    TableCleanup cleanup =
        new TableCleanup(
            lake,
            reading.partition(),
            table,
            name,
            retention,
            orphansOlderThan,
            () -> atWatermark(table),
            files -> progress.show(what, files, 0));
    try {
      return execute ? cleanup.execute() : cleanup.plan();
    } catch (ToolException | LakeException e) {
      return cleanup.failed(e.getMessage());
    } catch (MalformedStateException e) {
      return cleanup.failed("table " + name + " can't be read: " + e.getMessage());
    }
  }

  /** Its snapshot is where readers find the table as of the watermark. */
  private Optional<TableAtWatermark> atWatermark(String table) {
    TableView now =
        Retries.call(() -> lake.load(TableNames.WATERMARK))
            .orElseThrow(
                () ->
                    ToolException.error(
                        "table "
                            + reading.watermarkName()
                            + " is missing, so nobody knows which snapshots readers need"));
    return now.property()
        .flatMap(TableState::watermark)
        .map(watermark -> watermark.tables().get(table));
  }
}
