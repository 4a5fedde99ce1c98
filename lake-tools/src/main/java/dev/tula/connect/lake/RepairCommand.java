package dev.tula.connect.lake;

import dev.tula.connect.lake.output.Progress;
import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.lake.reconcile.LoggedRange;
import dev.tula.connect.lake.reconcile.LoggedRanges;
import dev.tula.connect.lake.repair.LedgerRows;
import dev.tula.connect.lake.repair.PartitionRepair;
import dev.tula.connect.lake.repair.RepairResult;
import dev.tula.connect.lake.state.LakeSession;
import dev.tula.connect.lake.state.PartitionReading;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.sink.lake.IcebergLake;
import dev.tula.connect.source.SourceConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Puts rows right by what the ledger has. */
@Command(
    name = "repair",
    mixinStandardHelpOptions = true,
    description = {
      "Reads a range from the ledger again, with no lease and no ack, and compares every row of the"
          + " lake with it.",
      "Adds what is missing and takes out what is doubled, altered or not the ledger's, in one"
          + " commit a table, then compares again. Restores only what was committed: the digests in"
          + " the commit log must come out.",
      "Works while a durability halt is in force, and beside a running sink."
    },
    footer = {
      "",
      "With --dry-run it exits with 0 if nothing is wrong, else with 2; without, with 0 if all is"
          + " right in the end, else with 2. With 87 if the ledger does not have the range any"
          + " more."
    })
final class RepairCommand extends LakeCommand {
  @Mixin private SourceOptions source;

  @Mixin private RangeOptions range;

  @Option(names = "--dry-run", description = "Only show what is wrong.")
  private boolean dryRun;

  @Override
  void checkUsage() {
    range.checkUsage();
  }

  @Override
  int run(LakeSession session, List<Integer> partitions) {
    session.checkIdentity().ifPresent(Refusal::whole);
    SourceConfig config =
        source.read(session, "the configuration of the source that feeds this lake");
    session.refuseTransforms(config);
    List<RepairResult> results = new ArrayList<>();
    try (Progress progress = Progress.onTerminal(err())) {
      for (int partition : partitions) {
        results.addAll(repair(session, config, session.read(partition), progress));
      }
    }
    RepairReport report = new RepairReport(dryRun, new ChangedLake<>(results, List.of()));
    print(report);
    return report.exitCode();
  }

  private List<RepairResult> repair(
      LakeSession session, SourceConfig config, PartitionReading reading, Progress progress) {
    Range wanted = wanted(reading);
    Map<String, List<LoggedRange>> logged =
        LoggedRanges.within(session.identity(), reading, session.commits(), wanted);
    try (IcebergLake lake = session.newLake(reading.partition());
        LedgerRows ledger = new LedgerRows(config, reading.partition())) {
      PartitionRepair repair =
          new PartitionRepair(
              session.identity(),
              lake,
              reading,
              wanted,
              ledger,
              () -> session.publisher(reading.partition()),
              progress);
      return repair.run(logged, dryRun);
    }
  }

  /** What lies before the stream's beginning was never in the lake. */
  private Range wanted(PartitionReading reading) {
    Position start =
        reading
            .watermarkState()
            .flatMap(state -> state.startFrom())
            .orElseThrow(
                () ->
                    ToolException.error(
                        "partition "
                            + reading.partition()
                            + " has no watermark, so there is nothing to repair"));
    range.checkAtOrBelow(
        reading.position().orElseThrow(),
        reading.partition(),
        "what is above it is the sink's to write");
    if (!range.to().isAfter(start)) {
      throw ToolException.error(
          "--to " + range.to() + " lies before the stream's beginning, " + start);
    }
    return new Range(Position.max(range.from(), start), range.to());
  }
}
