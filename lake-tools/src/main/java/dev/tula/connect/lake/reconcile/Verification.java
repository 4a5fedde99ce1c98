package dev.tula.connect.lake.reconcile;

import dev.tula.connect.lake.output.Progress;
import dev.tula.connect.lake.state.EventTopic;
import dev.tula.connect.lake.state.PartitionReading;
import dev.tula.connect.lake.state.TableReading;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.engine.TableView;
import dev.tula.connect.sink.lake.IcebergLake;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Verifies one partition: recomputes the digest of every range that the commit log has from the
 * rows of the tables, and the chain over them. It goes by rows and log alone, so neither expired
 * snapshots nor rewritten files matter.
 *
 * <p>For one thread, and used once.
 */
public final class Verification {
  private final IcebergLake lake;
  private final PartitionReading reading;
  private final StreamIdentity stream;
  private final Progress progress;
  private final Map<String, DigestCheck> checks = new HashMap<>();

  private Verification(
      StreamIdentity stream, IcebergLake lake, PartitionReading reading, Progress progress) {
    this.stream = stream;
    this.lake = lake;
    this.reading = reading;
    this.progress = progress;
  }

  /**
   * Verifies.
   *
   * @param identity the pipeline
   * @param lake the partition's
   * @param reading the partition's tables
   * @param commits the commits topic
   * @param progress shows how far it has come
   */
  public static CheckedPartition<VerifiedTable> run(
      PipelineIdentity identity,
      IcebergLake lake,
      PartitionReading reading,
      EventTopic commits,
      Progress progress) {
    progress.show("partition " + reading.partition() + ": reading the commit log", 0, 0);
    Verification verification =
        new Verification(identity.stream(reading.partition()), lake, reading, progress);
    LogReplay replay = new LogReplay(identity, reading);
    replay.run(commits, verification::check);
    List<VerifiedTable> tables = replay.works().stream().map(verification::result).toList();
    return new CheckedPartition<>(
        reading.partition(), reading.position(), tables, replay.differences().toList());
  }

  private DigestCheck check(TableReading table) {
    String what = "partition " + reading.partition() + ": digests of " + table.name();
    long total = table.view().map(TableView::totalRecords).orElse(0L);
    DigestCheck check =
        new DigestCheck(lake, table, stream, rows -> progress.show(what, rows, total));
    checks.put(table.table().name(), check);
    return check;
  }

  private VerifiedTable result(TableWork work) {
    DigestCheck check = checks.get(work.reading().table().name());
    check.flush();
    return check.result(work);
  }
}
