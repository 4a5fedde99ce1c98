package dev.tula.connect.local;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The command behind {@code bin/run-local}: a ledger, Kafka with a Connect worker, and a lake, on
 * this machine, with the ledger's history on its way through them.
 */
@Command(
    name = "run-local",
    mixinStandardHelpOptions = true,
    version = "tula-connect 0.1.0-SNAPSHOT",
    sortOptions = false,
    exitCodeOnInvalidInput = 64,
    description =
        "Runs a broker, a Kafka Connect worker, a reference node and a local lake, and moves the"
            + " ledger's committed history into Iceberg tables.",
    footer = {
      "",
      "The connectors are what config-examples/local/*.json says; flags override",
      "single keys. With --verify the last line is JSON, and the exit code is 0 only",
      "if every row of every table is what the ledger says it is, and no ack was",
      "above the lake's watermark.",
      "",
      "  run-local                                  a live ledger, until Ctrl-C",
      "  run-local --rows 1000000 --verify --exit   a million records, all compared",
      "  run-local --rows 1000000 --verify --exit --kill-worker 10",
      "  run-local --rows 1000000 --verify --exit --catalog rest-s3",
      "  run-local --rows 1000000 --verify --exit --bootstrap --partitions 4"
    })
public final class RunLocal implements Callable<Integer> {
  private static final int LOG_LINES = 25;

  @Mixin private RunOptions options;

  @Spec private CommandSpec spec;

  private final PrintStream out;

  private RunLocal(PrintStream out) {
    this.out = out;
  }

  /** Runs the command and ends the process with its exit code. */
  public static void main(String[] args) {
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    System.exit(run(args, out));
  }

  /**
   * Runs the command in this process.
   *
   * @param out where it prints
   * @return its exit code
   */
  static int run(String[] args, PrintStream out) {
    return new CommandLine(new RunLocal(out))
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionExceptionHandler(RunLocal::couldNotBegin)
        .execute(args);
  }

  @Override
  public Integer call() {
    Optional<String> problem = options.problem();
    if (problem.isPresent()) {
      throw new ParameterException(spec.commandLine(), problem.get());
    }
    Path root = RunDirectory.projectRoot();
    RunDirectory directory = RunDirectory.make(root, Optional.ofNullable(options.keep));
    Logging.toFile(directory.path());
    boolean live = System.console() != null && !"dumb".equals(System.getenv("TERM"));
    AtomicBoolean stopping = new AtomicBoolean();
    LocalRun run = new LocalRun(options, root, directory, out, live);
    Thread onSignal = new Thread(() -> stop(run, stopping), "run-local-stop");
    Runtime.getRuntime().addShutdownHook(onSignal);
    try {
      return run.run() ? 0 : 1;
    } catch (RuntimeException e) {
      if (!stopping.get()) {
        explain(e, run);
      }
      return 1;
    } finally {
      end(run, onSignal, stopping);
    }
  }

  private static void end(LocalRun run, Thread onSignal, AtomicBoolean stopping) {
    if (stopping.get()) {
      return;
    }
    try {
      Runtime.getRuntime().removeShutdownHook(onSignal);
      run.close();
    } catch (IllegalStateException e) {
      // The process is being stopped by a signal just now, and the hook does the same.
      stopping.set(true);
    }
  }

  private static void stop(LocalRun run, AtomicBoolean stopping) {
    stopping.set(true);
    run.close();
  }

  private static int couldNotBegin(
      Exception failure, CommandLine command, CommandLine.ParseResult parsed) throws Exception {
    if (failure instanceof StackException) {
      System.err.println("run-local failed: " + failure.getMessage());
      return command.getCommandSpec().exitCodeOnExecutionException();
    }
    throw failure;
  }

  private void explain(RuntimeException failure, LocalRun run) {
    out.flush();
    System.err.println();
    run.evidence(LOG_LINES).forEach(System.err::println);
    System.err.println();
    System.err.println("run-local failed: " + failure.getMessage());
    if (!(failure instanceof StackException)) {
      failure.printStackTrace();
    }
  }
}
