package dev.tula.connect.lake;

import dev.tula.connect.lake.output.OutputFormat;
import dev.tula.connect.lake.output.Report;
import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What every command has: a connector's configuration and an output form. */
abstract class ToolCommand implements Callable<Integer> {
  @Mixin private ConnectorOptions connector;

  @Option(
      names = "--output",
      paramLabel = "FORM",
      defaultValue = "table",
      description = "The form of the answer: table, json or csv. Default: ${DEFAULT-VALUE}.")
  private OutputFormat output;

  @Option(names = "--verbose", description = "With an error, print where in the program it arose.")
  private boolean verbose;

  @Spec private CommandSpec spec;

  final ConnectorOptions connector() {
    return connector;
  }

  /** The sink connector's configuration as it was PUT to Connect, placeholders and all. */
  final Map<String, String> sinkAsPut() {
    return connector.asPut();
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

  /** Says something beside the answer. */
  final void say(String message) {
    err().println("tula-lake: " + message);
    err().flush();
  }
}
