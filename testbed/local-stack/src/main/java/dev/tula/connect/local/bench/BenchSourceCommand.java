package dev.tula.connect.local.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tula.connect.local.Logging;
import dev.tula.connect.local.RunDirectory;
import dev.tula.connect.local.StackException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bin/bench-source}. */
@Command(
    name = "bench-source",
    mixinStandardHelpOptions = true,
    description =
        "Measures how fast one task of the source connector brings a ledger into Kafka: a"
            + " reference node with all its records made before, a broker, and a Connect worker"
            + " with nothing else to do.",
    footer = {
      "",
      "Each way of writing has a broker and a worker of its own, started anew. The last line is",
      "JSON."
    })
public final class BenchSourceCommand implements Callable<Integer> {
  private final PrintStream out;

  @Option(
      names = "--rows",
      paramLabel = "N",
      description = "How many records the ledger has; ${DEFAULT-VALUE} is the default.")
  private long rows = 1_000_000;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "What the ledger's records depend on; ${DEFAULT-VALUE} is the default.")
  private long seed = 1;

  @Option(
      names = "--exactly-once",
      arity = "1",
      paramLabel = "true|false",
      description = "Only with transactions, or only without them; both is the default.")
  private Boolean exactlyOnce;

  @Option(
      names = "--converter",
      paramLabel = "FORMAT",
      description = "Only one of ${COMPLETION-CANDIDATES}; both is the default.")
  private Converter converter;

  @Option(
      names = "--keep",
      paramLabel = "DIR",
      description = "Run in DIR, which must be empty or new, and leave everything there.")
  private Path keep;

  BenchSourceCommand(PrintStream out) {
    this.out = out;
  }

  /**
   * @param args as {@code --help} says
   */
  public static void main(String[] args) {
    System.exit(run(args, System.out));
  }

  static int run(String[] args, PrintStream out) {
    return commandLine(out).execute(args);
  }

  static CommandLine commandLine(PrintStream out) {
    return new CommandLine(new BenchSourceCommand(out)).setCaseInsensitiveEnumValuesAllowed(true);
  }

  @Override
  public Integer call() {
    if (rows < 1) {
      System.err.println("bench-source: --rows must be 1 or more");
      return CommandLine.ExitCode.USAGE;
    }
    Path root = RunDirectory.projectRoot();
    RunDirectory directory = RunDirectory.make(root, Optional.ofNullable(keep));
    Logging.toFile(directory.path());
    try (SourceBench bench = new SourceBench(root, directory.path(), seed, rows)) {
      // A worker outlives its parent if nobody stops it.
      Runtime.getRuntime().addShutdownHook(new Thread(bench::close, "bench-source-stop"));
      measure(bench);
    } catch (StackException e) {
      System.err.println("bench-source failed: " + e.getMessage());
      e.printStackTrace();
      out.println("everything is left in " + directory.path());
      return 1;
    }
    directory.discard();
    return 0;
  }

  private void measure(SourceBench bench) {
    ObjectNode json = new ObjectMapper().createObjectNode();
    json.put("rows", rows);
    json.put("seed", seed);
    ArrayNode runs = json.putArray("runs");
    out.printf(
        "%-10s %-9s %11s %14s %9s %10s %9s %9s %11s%n",
        "topic", "written", "rows", "bytes", "seconds", "with start", "in poll", "cpu", "rows/s");
    for (boolean once : exactlyOnce == null ? List.of(true, false) : List.of(exactlyOnce)) {
      for (Converter format :
          converter == null ? List.of(Converter.values()) : List.of(converter)) {
        SourceRun run = bench.run(once, format);
        print(once, format, run);
        put(runs.addObject(), once, format, run);
      }
    }
    out.println();
    out.println(json);
    out.flush();
  }

  private void print(boolean once, Converter format, SourceRun run) {
    out.printf(
        Locale.ROOT,
        "%-10s %-9s %,11d %,14d %9.2f %10.2f %9.2f %9.2f %,11.0f%n",
        format.name().toLowerCase(Locale.ROOT),
        once ? "once" : "at least",
        run.rows(),
        run.bytes(),
        SourceRun.seconds(run.sinceFirst()),
        SourceRun.seconds(run.sinceStart()),
        SourceRun.seconds(run.polling()),
        SourceRun.seconds(run.cpu()),
        run.rowsPerSecond());
    out.flush();
  }

  private static void put(ObjectNode json, boolean once, Converter format, SourceRun run) {
    json.put("exactly_once", once);
    json.put("converter", format.name().toLowerCase(Locale.ROOT));
    json.put("rows", run.rows());
    json.put("bytes", run.bytes());
    json.put("seconds", SourceRun.seconds(run.sinceFirst()));
    json.put("seconds_since_start", SourceRun.seconds(run.sinceStart()));
    json.put("seconds_in_poll", SourceRun.seconds(run.polling()));
    json.put("seconds_of_cpu", SourceRun.seconds(run.cpu()));
    json.put("rows_per_second", run.rowsPerSecond());
    json.put("rows_per_second_since_start", run.rowsPerSecondSinceStart());
  }
}
