package dev.tula.connect.refnode;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** The reference node's command line. */
@Command(
    name = "reference-node",
    mixinStandardHelpOptions = true,
    version = "reference-node 0.1.0",
    description = {
      "A working double-entry ledger that serves TulaDB's query port.",
      "For development, tests and the local stack; it is no database."
    },
    subcommands = {ServeCommand.class, TruthCommand.class, HelpCommand.class})
public final class ReferenceNode implements Runnable {
  static final int EXIT_ERROR = 1;
  static final int EXIT_USAGE = 64;

  private static final String LOG_CONFIGURATION = "log4j2.configurationFile";

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  /** Runs the command and ends the process with its exit code: 0, 1 for an error, 64 for usage. */
  public static void main(String[] arguments) {
    if (System.getProperty(LOG_CONFIGURATION) == null) {
      System.setProperty(LOG_CONFIGURATION, "classpath:reference-node-log4j2.properties");
    }
    System.exit(
        run(new PrintWriter(System.out, true), new PrintWriter(System.err, true), arguments));
  }

  /** Runs the command and returns its exit code. */
  static int run(PrintWriter out, PrintWriter err, String... arguments) {
    CommandLine commands = new CommandLine(new ReferenceNode());
    commands.setOut(out);
    commands.setErr(err);
    commands.setCaseInsensitiveEnumValuesAllowed(true);
    commands
        .getSubcommands()
        .values()
        .forEach(sub -> sub.getCommandSpec().exitCodeOnInvalidInput(EXIT_USAGE));
    commands.getCommandSpec().exitCodeOnInvalidInput(EXIT_USAGE);
    commands.setExecutionExceptionHandler(
        (failure, command, parsed) -> {
          command.getErr().println("reference-node: " + message(failure));
          return failure instanceof IllegalArgumentException ? EXIT_USAGE : EXIT_ERROR;
        });
    return commands.execute(arguments);
  }

  private static String message(Throwable failure) {
    String message = failure.getMessage() == null ? failure.toString() : failure.getMessage();
    Throwable cause = failure.getCause();
    return cause == null || cause.getMessage() == null || message.contains(cause.getMessage())
        ? message
        : message + ": " + cause.getMessage();
  }

  @Override
  public void run() {
    throw new CommandLine.ParameterException(
        spec.commandLine(), "name a command: serve, truth or help");
  }
}
