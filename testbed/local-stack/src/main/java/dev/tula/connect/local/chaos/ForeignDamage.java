package dev.tula.connect.local.chaos;

import dev.tula.connect.local.ConnectorStatus;
import dev.tula.connect.local.LakeTable;
import dev.tula.connect.local.Pipeline;
import dev.tula.connect.local.StackException;
import dev.tula.connect.local.StackTool;
import dev.tula.connect.local.Wait;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The damage that no fault of the stack does: another engine drops a file of a table. The sink has
 * to halt, and an operator's whole procedure has to bring everything back: verify, repair, clear
 * the halt, restart the task. The other partition goes on all the while. For one thread.
 */
final class ForeignDamage {
  private static final Duration TOOL_LIMIT = Duration.ofMinutes(5);
  private static final Duration HALT_LIMIT = Duration.ofMinutes(6);
  private static final Duration RESTART_LIMIT = Duration.ofMinutes(6);
  private static final String HALTED = "TULA-86";
  private static final int PARTITION = 0;
  private static final int PASS = 0;
  private static final int FAIL = 2;

  private final ChaosStack stack;
  private final Pipeline pipeline;
  private final Maintenance maintenance;
  private final StackTool foreignEngine;
  private final Runnable newGroup;
  private final PrintStream out;

  /**
   * @param newGroup what to do where Connect refuses a command
   */
  ForeignDamage(
      Path root,
      Path directory,
      ChaosStack stack,
      Pipeline pipeline,
      Maintenance maintenance,
      Runnable newGroup,
      PrintStream out) {
    this.stack = stack;
    this.pipeline = pipeline;
    this.maintenance = maintenance;
    this.foreignEngine = StackTool.foreignEngine(root, directory);
    this.newGroup = newGroup;
    this.out = out;
  }

  /**
   * Does it and undoes it. Afterwards every task runs, and the load stands still.
   *
   * @throws StackException if one of the steps ends otherwise than it should
   */
  void run() {
    String table = largestTable();
    out.println("  another engine drops a file of " + table);
    dropFile(table);
    maintenance.expect(FAIL, "verify", "--partition", Integer.toString(PARTITION));
    stack.engine().resumeLoad();
    awaitHalt();
    out.println("  halted; repair, clear, restart");
    maintenance.repair(PARTITION);
    maintenance.expect(PASS, "clear-durability-halt", "--confirm");
    restart();
    stack.engine().pauseLoad();
    maintenance.expect(PASS, "verify");
  }

  private String largestTable() {
    return stack.lake().tableNames().stream()
        .filter(name -> name.endsWith("_p" + PARTITION) && !name.startsWith("watermark"))
        .map(name -> stack.lake().table(name).orElseThrow())
        .max(Comparator.comparingLong(LakeTable::dataFileRows))
        .map(LakeTable::name)
        .orElseThrow(() -> new StackException("partition " + PARTITION + " has no table"));
  }

  private void dropFile(String table) {
    StackTool.Outcome outcome =
        foreignEngine.run(
            "foreign-engine",
            List.of(
                stack.lake().catalogUri(),
                stack.lakeHost().environment().get(ChaosStack.S3_ENDPOINT),
                stack.lake().namespace(),
                table),
            TOOL_LIMIT,
            () -> false);
    if (outcome.exitCode().orElse(-1) != 0) {
      throw new StackException(
          "another engine could not drop a file:\n" + String.join("\n", outcome.lastLines()));
    }
  }

  private Optional<String> failure() {
    return stack.worker().rest().status(pipeline.sinkName()).flatMap(ConnectorStatus::failure);
  }

  private void awaitHalt() {
    Wait.until(
        "the sink to halt for the file that another engine dropped",
        HALT_LIMIT,
        () -> failure().filter(trace -> trace.contains(HALTED)).isPresent());
  }

  /**
   * Connect's leader may have lost the producer that it writes commands with, and then takes none
   * until there is a new group of workers, which starts every task anyway.
   */
  private void restart() {
    try {
      stack.worker().rest().restartFailed(pipeline.sinkName());
    } catch (StackException e) {
      out.println("  " + e.getMessage().lines().reduce((first, last) -> last).orElse(""));
      newGroup.run();
    }
    Wait.until("the halted task to run again", RESTART_LIMIT, this::runs);
  }

  private boolean runs() {
    try {
      return failure().isEmpty();
    } catch (StackException e) {
      return false; // A worker that is just going or coming.
    }
  }
}
