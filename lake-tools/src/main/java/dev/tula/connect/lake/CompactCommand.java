package dev.tula.connect.lake;

import dev.tula.connect.lake.maintain.CompactionResult;
import dev.tula.connect.lake.maintain.TableCompaction;
import dev.tula.connect.lake.output.Progress;
import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.lake.state.LakeSession;
import dev.tula.connect.lake.state.PartitionReading;
import dev.tula.connect.lake.state.TableReading;
import dev.tula.connect.model.Range;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.TableView;
import dev.tula.connect.sink.lake.IcebergLake;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Rewrites small files of a cold range into larger ones. */
@Command(
    name = "compact",
    mixinStandardHelpOptions = true,
    description = {
      "Rewrites the small files of a cold range, at or below the watermark, into larger ones.",
      "Changes no row and no order: rows and amounts are counted before and after, and every file"
          + " is read back.",
      "Without --execute it only shows what it would do. Safe beside a running sink."
    },
    footer = {
      "",
      "Exits with 2 if a table was left alone or does not add up, and says why; with 86 if a"
          + " durability halt is in force."
    })
final class CompactCommand extends LakeCommand {
  private static final long MIN_TARGET = 64L << 10;
  private static final long MAX_TARGET = 2L << 30;

  @Mixin private RangeOptions range;

  @Option(
      names = "--target-file-size",
      paramLabel = "BYTES",
      defaultValue = "512m",
      converter = BytesConverter.class,
      description =
          "How large files may become, 64k to 2g; those of three quarters of it stay. Default:"
              + " ${DEFAULT-VALUE}.")
  private long targetBytes;

  @Option(names = "--execute", description = "Do it.")
  private boolean execute;

  @Override
  void checkUsage() {
    range.checkUsage();
    if (targetBytes < MIN_TARGET || targetBytes > MAX_TARGET) {
      throw usage("--target-file-size must be 64k to 2g");
    }
  }

  @Override
  int run(LakeSession session, List<Integer> partitions) {
    session.checkIdentity().ifPresent(Refusal::whole);
    List<CompactionResult> results = new ArrayList<>();
    List<Refusal> refusals =
        eachSound(
            session,
            partitions,
            (reading, progress) -> results.addAll(compact(session, reading, progress)));
    ChangedLake<CompactionResult> lake = new ChangedLake<>(results, refusals);
    print(new CompactReport(execute, lake));
    return lake.exitCode();
  }

  private List<CompactionResult> compact(
      LakeSession session, PartitionReading reading, Progress progress) {
    range.checkAtOrBelow(
        reading.position().orElseThrow(),
        reading.partition(),
        "only what is at or below it is cold");
    List<CompactionResult> results = new ArrayList<>();
    try (IcebergLake lake = session.newLake(reading.partition())) {
      for (TableReading table : reading.tables()) {
        results.add(compact(lake, reading.partition(), table, progress));
      }
    }
    return results;
  }

  private CompactionResult compact(
      IcebergLake lake, int partition, TableReading table, Progress progress) {
    String what = "partition " + partition + ": rows of " + table.name() + " rewritten";
    long total = table.view().map(TableView::totalRecords).orElse(0L);
    TableCompaction compaction =
        new TableCompaction(
            lake,
            partition,
            table.table(),
            table.name(),
            new Range(range.from(), range.to()),
            targetBytes,
            rows -> progress.show(what, rows, total));
    try {
      return execute ? compaction.execute() : compaction.plan();
    } catch (ToolException | LakeException e) {
      return compaction.failed(e.getMessage());
    }
  }
}
