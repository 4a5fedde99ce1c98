package dev.tula.connect.lake;

import dev.tula.connect.lake.output.OutputFormat;
import dev.tula.connect.lake.output.Progress;
import dev.tula.connect.lake.output.Report;
import dev.tula.connect.lake.state.LakeSession;
import dev.tula.connect.lake.state.PartitionReading;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What every command has: a connector's configuration, a choice of partitions, an output form. */
abstract class LakeCommand implements Callable<Integer> {
  @Mixin private ConnectorOptions connector;

  @Option(
      names = "--partition",
      split = ",",
      paramLabel = "I",
      description = "Only these export partitions, counted from 0. Default: all.")
  private List<Integer> partitions = new ArrayList<>();

  @Option(
      names = "--output",
      paramLabel = "FORM",
      defaultValue = "table",
      description = "The form of the answer: table, json or csv. Default: ${DEFAULT-VALUE}.")
  private OutputFormat output;

  @Option(names = "--verbose", description = "With an error, print where in the program it arose.")
  private boolean verbose;

  @Spec private CommandSpec spec;

  @Override
  public final Integer call() {
    checkUsage();
    try (LakeSession session = new LakeSession(connector.settings())) {
      return run(session, session.partitions(partitions));
    }
  }

  /** Refuses values of options that can't be, before anything is connected to. */
  void checkUsage() {}

  /** Does the command's work and returns its exit code. */
  abstract int run(LakeSession session, List<Integer> partitions);

  /** The sink connector's configuration as it was PUT to Connect, placeholders and all. */
  final Map<String, String> sinkAsPut() {
    return connector.asPut();
  }

  /** Whether only some partitions were asked for. */
  final boolean choosesPartitions() {
    return !partitions.isEmpty();
  }

  final boolean isVerbose() {
    return verbose;
  }

  final void print(Report report) {
    output.print(report, spec.commandLine().getOut());
  }

  /** Where everything goes that is not the answer. */
  final PrintWriter err() {
    return spec.commandLine().getErr();
  }

  /** A value that an option must not have. */
  final ParameterException usage(String message) {
    return new ParameterException(spec.commandLine(), message);
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

  /** Says something beside the answer. */
  final void say(String message) {
    err().println("tula-lake: " + message);
    err().flush();
  }
}
