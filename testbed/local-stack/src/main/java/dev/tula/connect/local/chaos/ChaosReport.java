package dev.tula.connect.local.chaos;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tula.connect.local.AckCheck;
import dev.tula.connect.local.LakeVerdict;
import dev.tula.connect.local.TableVerdict;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Map;

/**
 * How a chaos run ended.
 *
 * @param options what it was like
 * @param exactlyOnceSource which way the source wrote
 * @param faults what happened, by name
 * @param maintenance how commands that keep the lake ended, by name and end
 * @param failures tasks that failed and were restarted, by the reason they gave
 * @param times how long the source tasks' polls and stops took
 * @param lake every row held against the ledger
 * @param acks every ack held against the watermark
 */
record ChaosReport(
    ChaosOptions options,
    boolean exactlyOnceSource,
    Map<String, FaultRunner.Tally> faults,
    Map<String, Integer> maintenance,
    TaskFailures failures,
    SourceTimes times,
    LakeVerdict lake,
    AckCheck acks) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MAX_LISTED = 20;
  private static final double MS_PER_SECOND = 1_000.0;

  /** Whether nothing disagrees, and no task failed but for what a fault explains. */
  boolean good() {
    return lake.agrees() && acks.violations().isEmpty() && failures.unexpected().isEmpty();
  }

  /** Prints tables for people, then one line of JSON. */
  void print(PrintStream out) {
    out.printf("%n  %-56s %6s %9s%n", "fault", "times", "seconds");
    faults.forEach(
        (name, tally) ->
            out.printf(
                Locale.ROOT,
                "  %-56s %6d %9.1f%n",
                name,
                tally.count(),
                tally.ms() / MS_PER_SECOND));
    out.printf("%n  tula-lake beside the live sink: %d%n", sum(maintenance));
    maintenance.forEach((how, count) -> out.printf("  %4d  %s%n", count, how));
    out.printf("%n  tasks that failed and were restarted: %d%n", restarts());
    failures
        .explained()
        .forEach((reason, count) -> out.printf("  %4d  by a fault: %s%n", count, reason));
    failures
        .unexpected()
        .forEach(
            (reason, count) -> out.printf("  ! %4d  that no fault explains: %s%n", count, reason));
    times.print(out);
    lake.problems().forEach(problem -> out.println("  ! " + problem));
    lake.tables().stream()
        .filter(table -> !table.agrees())
        .forEach(table -> printProblems(table, out));
    acks.violations().stream().limit(MAX_LISTED).forEach(text -> out.println("  ! " + text));
    out.println();
    out.println(json());
    out.flush();
  }

  private int restarts() {
    return sum(failures.explained()) + sum(failures.unexpected());
  }

  private static void printProblems(TableVerdict table, PrintStream out) {
    out.println("  ! " + table);
  }

  private static int sum(Map<String, Integer> counts) {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** The run in one line. */
  String json() {
    ObjectNode json = JSON.createObjectNode();
    json.put("seed", options.seed());
    json.put("seconds", options.length().toSeconds());
    json.put("exactly_once_source", exactlyOnceSource);
    json.put("faults", faults.values().stream().mapToInt(FaultRunner.Tally::count).sum());
    json.put("kinds_of_faults", faults.size());
    ObjectNode commands = json.putObject("maintenance");
    maintenance.forEach(commands::put);
    json.put("task_restarts", restarts());
    json.put("task_restarts_unexplained", sum(failures.unexpected()));
    times.put(json);
    json.put("rows", lake.rows());
    json.put("tables", lake.tables().size());
    json.put("missing", lake.missing());
    json.put("duplicated", lake.duplicated());
    json.put("different", lake.different());
    json.put("unexpected", lake.unexpected());
    json.put("acks", acks.acks());
    json.put("acks_above_watermark", acks.violations().size());
    json.put("verified", good());
    return json.toString();
  }
}
