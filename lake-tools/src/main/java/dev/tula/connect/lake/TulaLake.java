package dev.tula.connect.lake;

import dev.tula.connect.lake.output.ExitCode;
import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.sink.engine.LakeException;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** The {@code tula-lake} command: looks after a ledger's tables with the sink's own engine. */
@Command(
    name = "tula-lake",
    mixinStandardHelpOptions = true,
    versionProvider = VersionProvider.class,
    description =
        "Looks after the Iceberg tables of a ledger, with the sink connector's own configuration.",
    subcommands = {
      DoctorCommand.class,
      StatusCommand.class,
      WatermarkCommand.class,
      ReconcileCommand.class,
      VerifyCommand.class,
      CleanupCommand.class,
      CompactCommand.class,
      RepairCommand.class,
      ReseedCommand.class,
      ClearDurabilityHaltCommand.class
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all is well",
      "1:the command could not do its work",
      "2:it did, and its verdict is FAIL",
      "64:wrong usage",
      "86:a durability halt is in force",
      "87:the ledger does not have the range any more",
      "88:the configuration's identity is not the recorded one"
    })
public final class TulaLake implements Runnable {
  @Spec private CommandSpec spec;

  /**
   * Runs a command and exits with its code.
   *
   * @param args the command and its options
   */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    return new CommandLine(new TulaLake())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(TulaLake::misused)
        .setExecutionExceptionHandler(TulaLake::failed);
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name a command, one of those below");
  }

  private static int misused(ParameterException misuse, String[] args) {
    CommandLine command = misuse.getCommandLine();
    PrintWriter err = command.getErr();
    err.println("tula-lake: " + misuse.getMessage());
    CommandLine.UnmatchedArgumentException.printSuggestions(misuse, err);
    command.usage(err);
    err.flush();
    return ExitCode.USAGE;
  }

  private static int failed(Exception failure, CommandLine command, ParseResult parsed) {
    PrintWriter err = command.getErr();
    boolean expected = failure instanceof ToolException || failure instanceof LakeException;
    err.println("tula-lake: " + (expected ? failure.getMessage() : failure.toString()));
    Object called = command.getCommand();
    boolean verbose = called instanceof ToolCommand tool && tool.isVerbose();
    if (verbose) {
      failure.printStackTrace(err);
    } else if (!expected) {
      err.println("This was not foreseen. Run it again with --verbose, and report what it prints.");
    }
    err.flush();
    return failure instanceof ToolException told ? told.exitCode() : ExitCode.ERROR;
  }
}
