package dev.tula.connect.local.chaos;

import dev.tula.connect.local.ConnectorConfig;
import dev.tula.connect.local.StackException;
import dev.tula.connect.local.StackTool;
import dev.tula.connect.local.WatermarkHistory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * Who keeps the lake of a chaos run: {@code tula-lake} in processes of its own, by the same
 * catalog, store and broker that everything else goes wrong with. An outage may stop a command, and
 * a writer that claims a table may make it leave one alone; none may ever say that something is
 * wrong with the lake. Safe for any thread.
 */
final class Maintenance {
  /**
   * What is younger stays. The watermark tables are read right before the command starts, so what
   * goes was seen, unless it takes longer than this to start; then an ack may lack its watermark,
   * and shows as a violation.
   */
  private static final String EXPIRE_OLDER_THAN = "60s";

  private static final Duration COMMAND_LIMIT = Duration.ofSeconds(90);
  private static final Duration MIN_QUIET_LIMIT = Duration.ofMinutes(4);
  private static final int READ_ATTEMPTS = 60;
  private static final long READ_PAUSE_MS = 1_000;
  private static final String DOES_NOT_ADD_UP = "Keep its snapshots"; // what compact then says
  private static final int DONE = 0;
  private static final int STOPPED = 1;
  private static final int LEFT_ALONE = 2;

  private final StackTool tulaLake;
  private final Path sinkFile;
  private final Path sourceFile;
  private final WatermarkHistory watermarks;
  private final Duration quietLimit;
  private final AtomicLong coldBatch = new AtomicLong();
  private final AtomicInteger runs = new AtomicInteger();
  private final AtomicBoolean ended = new AtomicBoolean();
  private final Map<String, Integer> outcomes = new TreeMap<>();

  /**
   * @param root the project's root directory
   * @param directory where configurations and logs go
   * @param environment what {@code ${env:…}} stands for
   * @param watermarks takes in what a cleanup may take away
   * @param length how long the lake grew: what reads all of it, in the end, may take as long
   */
  Maintenance(
      Path root,
      Path directory,
      Map<String, String> environment,
      ConnectorConfig source,
      ConnectorConfig sink,
      WatermarkHistory watermarks,
      Duration length) {
    this.tulaLake = StackTool.tulaLake(root, directory);
    this.watermarks = watermarks;
    this.quietLimit = length.compareTo(MIN_QUIET_LIMIT) > 0 ? length : MIN_QUIET_LIMIT;
    this.sinkFile = directory.resolve("sink.json");
    this.sourceFile = directory.resolve("source.json");
    sink.resolved(environment).write(sinkFile);
    source.resolved(environment).write(sourceFile);
  }

  /** Each of the commands, as something that happens to a stack, in the order that they come in. */
  List<Fault> commands() {
    return List.of(
        command("cleanup", Set.of(DONE, STOPPED, LEFT_ALONE), this::cleanUp),
        command("compact", Set.of(DONE, STOPPED, LEFT_ALONE), this::compact),
        command("verify", Set.of(DONE, STOPPED), () -> List.of("verify")),
        command("cleanup of orphans", Set.of(DONE, STOPPED, LEFT_ALONE), this::deleteOrphans),
        command("repair", Set.of(DONE, STOPPED, LEFT_ALONE), this::repair));
  }

  /** What makes a command's arguments, when it is its turn. */
  @FunctionalInterface
  private interface Arguments {
    List<String> make() throws InterruptedException;
  }

  private Fault command(String name, Set<Integer> expected, Arguments arguments) {
    return Fault.at(
        "tula-lake " + name,
        Fault.Part.MAINTENANCE,
        () -> {
          StackTool.Outcome outcome = run(arguments.make(), COMMAND_LIMIT, ended::get);
          boolean asExpected =
              outcome.exitCode().isEmpty() || expected.contains(outcome.exitCode().getAsInt());
          if (!asExpected || String.join("\n", outcome.lastLines()).contains(DOES_NOT_ADD_UP)) {
            throw new StackException(words(outcome));
          }
          count(name, outcome);
        });
  }

  private StackTool.Outcome run(List<String> command, Duration limit, BooleanSupplier enough) {
    List<String> args = new ArrayList<>(command);
    args.addAll(List.of("--config", sinkFile.toString(), "--output", "json"));
    String name = "tula-lake-" + runs.incrementAndGet() + "-" + command.get(0);
    return tulaLake.run(name, args, limit, enough);
  }

  /**
   * Runs a command in peace and quiet, in which it must do its work.
   *
   * @throws StackException if it ends with another code
   */
  void expect(int exitCode, String... command) {
    StackTool.Outcome outcome = run(List.of(command), quietLimit, () -> false);
    if (outcome.exitCode().isEmpty() || outcome.exitCode().getAsInt() != exitCode) {
      throw new StackException(command[0] + " should end with " + exitCode + "; " + words(outcome));
    }
    countAfterFaults(command[0], exitCode);
  }

  private synchronized void countAfterFaults(String command, int exitCode) {
    outcomes.merge("after the faults, " + command + ": ended with " + exitCode, 1, Integer::sum);
  }

  private static String words(StackTool.Outcome outcome) {
    return (outcome.exitCode().isPresent()
            ? "it ended with " + outcome.exitCode().getAsInt()
            : "it was killed")
        + ":\n"
        + String.join("\n", outcome.lastLines());
  }

  private synchronized void count(String name, StackTool.Outcome outcome) {
    String how =
        outcome.exitCode().isEmpty()
            ? "killed"
            : switch (outcome.exitCode().getAsInt()) {
              case DONE -> "done";
              case LEFT_ALONE -> "left something alone";
              default -> "stopped by an outage";
            };
    outcomes.merge(name + ": " + how, 1, Integer::sum);
  }

  /** The faults are over: what still runs is killed, wherever it is. */
  void end() {
    ended.set(true);
  }

  /** How the commands ended. */
  synchronized Map<String, Integer> outcomes() {
    return new TreeMap<>(outcomes);
  }

  /** From now on everything up to this batch's end is cold. */
  void cold(long batch) {
    coldBatch.set(batch);
  }

  private List<String> cleanUp() throws InterruptedException {
    rememberWatermarks();
    return List.of("cleanup", "--older-than", EXPIRE_OLDER_THAN, "--keep", "2", "--execute");
  }

  private List<String> deleteOrphans() throws InterruptedException {
    List<String> arguments = new ArrayList<>(cleanUp());
    arguments.addAll(List.of("--orphans", "--orphans-older-than", "1h"));
    return arguments;
  }

  /** Whatever else goes wrong, what is expired was seen: the acks are held against it. */
  private void rememberWatermarks() throws InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        watermarks.read();
        return;
      } catch (RuntimeException e) {
        if (attempt == READ_ATTEMPTS) {
          throw e;
        }
        Thread.sleep(READ_PAUSE_MS);
      }
    }
  }

  private List<String> compact() {
    return List.of(
        "compact",
        "--from",
        "0",
        "--to",
        Long.toString(coldBatch.get()),
        "--target-file-size",
        "8m",
        "--execute");
  }

  /** Everything, of which nothing is wrong. */
  private List<String> repair() {
    return List.of(
        "repair",
        "--source-config",
        sourceFile.toString(),
        "--from",
        "0",
        "--to",
        Long.toString(coldBatch.get()));
  }

  /** Brings back what another engine dropped of a partition. */
  void repair(int partition) {
    List<String> arguments = new ArrayList<>(repair());
    arguments.addAll(List.of("--partition", Integer.toString(partition)));
    expect(DONE, arguments.toArray(String[]::new));
  }
}
