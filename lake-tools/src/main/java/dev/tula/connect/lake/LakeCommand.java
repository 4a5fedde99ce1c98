package dev.tula.connect.lake;

import dev.tula.connect.lake.output.Progress;
import dev.tula.connect.lake.state.LakeSession;
import dev.tula.connect.lake.state.PartitionReading;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import picocli.CommandLine.Option;

/** A command that works on the lake: it connects to catalog and brokers first. */
abstract class LakeCommand extends ToolCommand {
  @Option(
      names = "--partition",
      split = ",",
      paramLabel = "I",
      description = "Only these export partitions, counted from 0. Default: all.")
  private List<Integer> partitions = new ArrayList<>();

  @Override
  public final Integer call() {
    checkUsage();
    try (LakeSession session = new LakeSession(connector().settings())) {
      return run(session, session.partitions(partitions));
    }
  }

  /** Refuses values of options that can't be, before anything is connected to. */
  void checkUsage() {}

  /** Does the command's work and returns its exit code. */
  abstract int run(LakeSession session, List<Integer> partitions);

  /** Whether only some partitions were asked for. */
  final boolean choosesPartitions() {
    return !partitions.isEmpty();
  }

  /**
   * Works on each partition that is sound, and shows how far it has come.
   *
   * @return why the others are left alone
   */
  final List<Refusal> eachSound(
      LakeSession session, List<Integer> chosen, BiConsumer<PartitionReading, Progress> work) {
    List<Refusal> refusals = new ArrayList<>();
    try (Progress progress = Progress.onTerminal(err())) {
      for (int partition : chosen) {
        PartitionReading reading = session.read(partition);
        Refusal.of(session.identity(), reading)
            .ifPresentOrElse(refusals::add, () -> work.accept(reading, progress));
      }
    }
    return refusals;
  }

  /** Says which halts are in force in a partition; they decide nothing here. */
  final void noteHalts(PartitionReading reading) {
    reading
        .haltsInForce()
        .forEach(
            halt ->
                say(
                    "note: durability halt "
                        + halt.id()
                        + " is in force in partition "
                        + reading.partition()
                        + ": "
                        + halt.finding()));
  }
}
