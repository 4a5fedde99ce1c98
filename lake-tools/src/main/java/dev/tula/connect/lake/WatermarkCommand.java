package dev.tula.connect.lake;

import dev.tula.connect.lake.output.ExitCode;
import dev.tula.connect.lake.output.Format;
import dev.tula.connect.lake.state.LakeSession;
import dev.tula.connect.lake.state.PartitionChecks;
import dev.tula.connect.lake.state.PartitionReading;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;

/** Says up to where the lake is complete. */
@Command(
    name = "watermark",
    mixinStandardHelpOptions = true,
    description = {
      "Prints the watermark of each partition: every table holds all its rows at or below it.",
      "Looks at states and row counts, not at rows; that is what reconcile does."
    },
    footer = {
      "",
      "Exits with 0 only if the lake is complete up to the published position in every partition, else with 2."
    })
final class WatermarkCommand extends LakeCommand {
  @Override
  int run(LakeSession session, List<Integer> partitions) {
    Optional<String> fault = session.checkIdentity();
    List<WatermarkReport.Row> rows = new ArrayList<>();
    for (int partition : partitions) {
      PartitionReading reading = session.read(partition);
      List<String> obstacles = new ArrayList<>(fault.stream().toList());
      obstacles.addAll(PartitionChecks.obstacles(session.identity(), reading));
      rows.add(
          new WatermarkReport.Row(
              partition,
              reading.position(),
              reading
                  .state()
                  .filter(state -> state.closedThroughMicros().isPresent())
                  .map(state -> Format.instant(state.closedThroughMicros().getAsLong())),
              obstacles));
    }
    WatermarkReport report = new WatermarkReport(rows);
    print(report);
    return report.isComplete() ? ExitCode.OK : ExitCode.FAIL;
  }
}
