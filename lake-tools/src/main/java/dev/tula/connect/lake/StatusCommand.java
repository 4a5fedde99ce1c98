package dev.tula.connect.lake;

import dev.tula.connect.lake.output.ExitCode;
import dev.tula.connect.lake.reseed.GapRecord;
import dev.tula.connect.lake.state.LakeSession;
import dev.tula.connect.lake.state.PartitionChecks;
import dev.tula.connect.lake.state.PartitionReading;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;

/** Shows where each partition stands. */
@Command(
    name = "status",
    mixinStandardHelpOptions = true,
    description =
        "Shows watermark, writer, rows, checkpoint and halts of each partition, what is wrong with its tables, and the"
            + " reseed that ended the generation, if one did.",
    footer = {
      "",
      "Exits with 0 if nothing is wrong, 2 if something is, 86 if a durability halt is in force."
    })
final class StatusCommand extends LakeCommand {
  @Override
  int run(LakeSession session, List<Integer> partitions) {
    Optional<String> fault = session.checkIdentity();
    List<PartitionStatus> statuses = new ArrayList<>();
    for (int partition : partitions) {
      PartitionReading reading = session.read(partition);
      statuses.add(
          PartitionStatus.of(
              reading, PartitionChecks.problems(session.identity(), reading), Instant.now()));
    }
    print(
        new StatusReport(
            session.identity(),
            session.namespace(),
            fault,
            session.noted(GapRecord.PROPERTY).map(GapRecord::read),
            statuses));
    return exitCode(fault, statuses);
  }

  private static int exitCode(Optional<String> fault, List<PartitionStatus> statuses) {
    if (statuses.stream().anyMatch(status -> !status.halts().isEmpty())) {
      return ExitCode.HALTED;
    }
    boolean sound =
        fault.isEmpty() && statuses.stream().allMatch(status -> status.problems().isEmpty());
    return sound ? ExitCode.OK : ExitCode.FAIL;
  }
}
