package dev.tula.connect.local;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * How a bounded run ended.
 *
 * @param stages how long each stage took, in order
 * @param pipeline from the connectors' start until the lake was complete
 * @param lakeRows rows in the lake, as the sink counts them
 * @param replayedRows rows that came again and were dropped
 * @param kills kills carried out
 * @param memory what the worker had and the sink used
 * @param verdict the comparison, where one was asked for
 * @param acks the check of the acks
 */
record RunReport(
    Map<String, Duration> stages,
    Duration pipeline,
    long lakeRows,
    long replayedRows,
    int kills,
    PipelineMetrics.Memory memory,
    Optional<LakeVerdict> verdict,
    AckCheck acks) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MAX_LISTED = 20;

  /** Whether nothing disagrees. */
  boolean good() {
    return acks.violations().isEmpty() && verdict.map(LakeVerdict::agrees).orElse(true);
  }

  private long rows() {
    return verdict.map(LakeVerdict::rows).orElse(lakeRows);
  }

  private long rowsPerSecond() {
    return Math.round(rows() * 1e9 / Math.max(1, pipeline.toNanos()));
  }

  /** Prints the summary for people, then one line of JSON. */
  void print(PrintStream out) {
    out.println();
    verdict.ifPresent(value -> printTables(value, out));
    stages.forEach(
        (stage, time) -> out.printf(Locale.ROOT, "  %-34s %9.1f s%n", stage, seconds(time)));
    out.printf(
        Locale.ROOT,
        "  %,d rows in %.1f s from the connectors' start to the complete lake: %,d rows/s%n",
        rows(),
        seconds(pipeline),
        rowsPerSecond());
    out.printf(
        Locale.ROOT,
        "  %,d acks, %d of them above the watermark; %d kills, %,d rows came again%n",
        acks.acks(),
        acks.violations().size(),
        kills,
        replayedRows);
    acks.violations().stream().limit(MAX_LISTED).forEach(text -> out.println("  ! " + text));
    out.println();
    out.println(json());
    out.flush();
  }

  private static void printTables(LakeVerdict verdict, PrintStream out) {
    String format = "  %-36s %12s %24s %9s %10s %9s %10s%n";
    out.printf(
        format, "table", "rows", "amount sum", "missing", "duplicated", "different", "unexpected");
    for (TableVerdict table : verdict.tables()) {
      out.printf(
          format,
          table.table(),
          String.format(Locale.ROOT, "%,d", table.rows()),
          table.amountSum().map(sum -> String.format(Locale.ROOT, "%,d", sum)).orElse("-"),
          table.missing(),
          table.duplicated(),
          table.different(),
          table.unexpected());
      table.problems().forEach(problem -> out.println("  ! " + table.table() + ": " + problem));
      if (!table.amountSum().equals(table.expectedAmountSum())) {
        out.println("  ! the engine's amount sum is " + table.expectedAmountSum().orElseThrow());
      }
      table.examples().forEach(example -> out.println("  ! " + table.table() + " " + example));
    }
    verdict.problems().forEach(problem -> out.println("  ! " + problem));
    out.println();
  }

  private static double seconds(Duration time) {
    return time.toMillis() / 1000.0;
  }

  /** The run in one line. */
  String json() {
    return totals().toString();
  }

  /** Writes the run with every table of its own, for other programs to compare with. */
  void write(Path file) {
    ObjectNode document = totals();
    ArrayNode tables = document.putArray("table_reports");
    verdict.ifPresent(
        value -> value.tables().forEach(table -> describe(table, tables.addObject())));
    try {
      JSON.writerWithDefaultPrettyPrinter().writeValue(file.toFile(), document);
    } catch (IOException e) {
      throw new StackException("could not write " + file, e);
    }
  }

  private static void describe(TableVerdict table, ObjectNode json) {
    json.put("table", table.table());
    json.put("rows", table.rows());
    table.amountSum().ifPresent(sum -> json.put("amount_sum", sum.toString()));
    json.put("missing", table.missing());
    json.put("duplicated", table.duplicated());
    json.put("different", table.different());
    json.put("unexpected", table.unexpected());
  }

  private ObjectNode totals() {
    ObjectNode json = JSON.createObjectNode();
    json.put("rows", rows());
    verdict.ifPresent(value -> json.put("tables", value.tables().size()));
    json.put("rows_per_second", rowsPerSecond());
    verdict.ifPresent(
        value -> {
          json.put("missing", value.missing());
          json.put("duplicated", value.duplicated());
          json.put("different", value.different());
          json.put("unexpected", value.unexpected());
        });
    json.put("replayed", replayedRows);
    json.put("kills", kills);
    json.put("worker_heap_mb", memory.maxHeapBytes() >> 20);
    json.put("sink_memory_mb", memory.mostBytes() >> 20);
    json.put("sink_memory_reached", memory.reached());
    json.put("acks", acks.acks());
    json.put("acks_above_watermark", acks.violations().size());
    json.put("verified", verdict.isPresent() && good());
    return json;
  }
}
