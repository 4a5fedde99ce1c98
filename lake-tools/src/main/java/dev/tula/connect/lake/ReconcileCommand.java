package dev.tula.connect.lake;

import dev.tula.connect.lake.output.ExitCode;
import dev.tula.connect.lake.output.Progress;
import dev.tula.connect.lake.reconcile.CheckedPartition;
import dev.tula.connect.lake.reconcile.Reconciliation;
import dev.tula.connect.lake.reconcile.TableResult;
import dev.tula.connect.lake.state.EventTopic;
import dev.tula.connect.lake.state.LakeSession;
import dev.tula.connect.lake.state.PartitionReading;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;

/** Holds the commit log against the lake. */
@Command(
    name = "reconcile",
    mixinStandardHelpOptions = true,
    description = {
      "Holds the commit log against each table: its state, its snapshots as far as they are kept,"
          + " and its rows.",
      "Record counts and amount sums must match exactly. Reads every row's position and amount."
    },
    footer = {"", "Exits with 0 for PASS and with 2 for FAIL, and says what differs."})
final class ReconcileCommand extends LakeCommand {
  @Override
  int run(LakeSession session, List<Integer> partitions) {
    Optional<String> fault = session.checkIdentity();
    List<CheckedPartition<TableResult>> results = new ArrayList<>();
    try (Progress progress = Progress.onTerminal(err())) {
      EventTopic commits = session.commits();
      for (int partition : partitions) {
        PartitionReading reading = session.read(partition);
        results.add(Reconciliation.run(session.identity(), reading, commits, progress));
        noteHalts(reading);
      }
    }
    CheckedLake<TableResult> lake = new CheckedLake<>(fault, results);
    print(new ReconcileReport(lake));
    return lake.passed() ? ExitCode.OK : ExitCode.FAIL;
  }
}
