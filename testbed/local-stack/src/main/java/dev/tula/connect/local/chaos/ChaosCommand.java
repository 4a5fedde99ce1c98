package dev.tula.connect.local.chaos;

import dev.tula.connect.local.Logging;
import dev.tula.connect.local.RunDirectory;
import dev.tula.connect.local.StackException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bin/chaos}. */
@Command(
    name = "chaos",
    mixinStandardHelpOptions = true,
    description =
        "Runs a pipeline on real processes while workers, broker, ledger nodes, catalog and object"
            + " store are killed, stopped, slowed down and cut off, and ends with every row held"
            + " against the ledger.",
    footer = {
      "",
      "Three ledger nodes, a broker, two Connect workers, a REST catalog and an S3 server.",
      "An odd seed writes the topic exactly once, an even one at least once. The last line is",
      "JSON; the exit code is 0 only if every row is what the ledger says it is and no ack was",
      "above the lake's watermark."
    })
public final class ChaosCommand implements Callable<Integer> {
  private static final int MS_PER_MINUTE = 60_000;

  private final PrintStream out;

  @Option(
      names = "--minutes",
      paramLabel = "M",
      description = "How long faults come; ${DEFAULT-VALUE} is the default.")
  private double minutes = 3;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Which faults come when; ${DEFAULT-VALUE} is the default.")
  private long seed = 1;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "Records per second that the ledger grows by; ${DEFAULT-VALUE} is the default.")
  private double rate = 1_000;

  @Option(
      names = "--keep",
      paramLabel = "DIR",
      description = "Run in DIR, which must be empty or new, and leave everything there.")
  private Path keep;

  ChaosCommand(PrintStream out) {
    this.out = out;
  }

  /**
   * @param args as {@code --help} says
   */
  public static void main(String[] args) {
    System.exit(run(args, System.out));
  }

  static int run(String[] args, PrintStream out) {
    return new CommandLine(new ChaosCommand(out)).execute(args);
  }

  @Override
  public Integer call() {
    if (minutes <= 0 || rate <= 0) {
      System.err.println("chaos: --minutes and --rate must be positive");
      return CommandLine.ExitCode.USAGE;
    }
    Path root = RunDirectory.projectRoot();
    ChaosOptions options =
        new ChaosOptions(Duration.ofMillis(Math.round(minutes * MS_PER_MINUTE)), seed, rate);
    RunDirectory directory = RunDirectory.make(root, Optional.ofNullable(keep));
    Logging.toFile(directory.path());
    // Workers and servers outlive their parent if a signal ends it.
    Runtime.getRuntime().addShutdownHook(new Thread(ChaosCommand::killChildren, "chaos-stop"));
    boolean good = false;
    try (ChaosRun run = new ChaosRun(options, root, directory.path(), out)) {
      ChaosReport report = run.run();
      report.print(out);
      good = report.good();
    } catch (StackException e) {
      System.err.println("chaos failed: " + e.getMessage());
      e.printStackTrace();
    }
    if (good) {
      directory.discard();
    } else {
      out.println("everything is left in " + directory.path());
    }
    return good ? 0 : 1;
  }

  private static void killChildren() {
    ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
  }
}
