package dev.tula.connect.lake;

import dev.tula.connect.lake.output.ExitCode;
import dev.tula.connect.lake.output.Progress;
import dev.tula.connect.lake.reconcile.CheckedPartition;
import dev.tula.connect.lake.reconcile.Verification;
import dev.tula.connect.lake.reconcile.VerifiedTable;
import dev.tula.connect.lake.state.EventTopic;
import dev.tula.connect.lake.state.LakeSession;
import dev.tula.connect.lake.state.PartitionReading;
import dev.tula.connect.sink.lake.IcebergLake;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;

/** Recomputes digests and chain from the lake's rows. */
@Command(
    name = "verify",
    mixinStandardHelpOptions = true,
    description = {
      "Recomputes the SHA-256 digest of every committed range from the lake's rows, and the chain"
          + " over them.",
      "Any row that is missing, doubled, moved or altered in any column fails it. Reads every row"
          + " whole."
    },
    footer = {
      "",
      "Exits with 0 for PASS and with 2 for FAIL, and names the first range that differs."
    })
final class VerifyCommand extends LakeCommand {
  @Override
  int run(LakeSession session, List<Integer> partitions) {
    Optional<String> fault = session.checkIdentity();
    List<CheckedPartition<VerifiedTable>> results = new ArrayList<>();
    try (Progress progress = Progress.onTerminal(err())) {
      EventTopic commits = session.commits();
      for (int partition : partitions) {
        PartitionReading reading = session.read(partition);
        try (IcebergLake lake = session.newLake(partition)) {
          results.add(Verification.run(session.identity(), lake, reading, commits, progress));
        }
        noteHalts(reading);
      }
    }
    CheckedLake<VerifiedTable> lake = new CheckedLake<>(fault, results);
    print(new VerifyReport(lake));
    return lake.passed() ? ExitCode.OK : ExitCode.FAIL;
  }
}
