package dev.tula.connect.lake;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tula.connect.lake.maintain.CompactionResult;
import dev.tula.connect.lake.output.ExitCode;
import dev.tula.connect.lake.output.Format;
import dev.tula.connect.lake.output.Report;
import dev.tula.connect.lake.output.TextTable;
import dev.tula.connect.sink.lake.RowSums;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * What {@code compact} shows.
 *
 * @param executed whether it was done
 * @param tables each table
 * @param refusals the partitions that were left alone
 */
record CompactReport(boolean executed, List<CompactionResult> tables, List<Refusal> refusals)
    implements Report {
  int exitCode() {
    boolean wrong = tables.stream().anyMatch(table -> table.problem().isPresent());
    return Math.max(wrong ? ExitCode.FAIL : ExitCode.OK, Refusal.exitCode(refusals));
  }

  private String sum(ToLongFunction<CompactionResult> of) {
    return Format.number(tables.stream().mapToLong(of).sum());
  }

  @Override
  public void printTable(PrintWriter out) {
    TextTable table =
        TextTable.of(
            "TABLE", ">FILES", ">REWRITTEN", ">INTO", ">BYTES", ">ROWS", "ROWS AND AMOUNTS");
    for (CompactionResult each : tables) {
      table.row(
          each.name(),
          Format.number(each.files()),
          Format.number(each.rewritten()),
          Format.number(each.written()),
          Format.number(each.bytes()),
          Format.number(each.rows()),
          sums(each));
    }
    table.print(out, "");
    out.println();
    refusals.forEach(refusal -> refusal.why().forEach(out::println));
    for (CompactionResult each : tables) {
      each.notes().forEach(note -> out.println("note: table " + each.name() + ": " + note));
      each.problem().ifPresent(out::println);
    }
    String what =
        sum(CompactionResult::rewritten)
            + " files with "
            + sum(CompactionResult::rows)
            + " rows into "
            + sum(CompactionResult::written);
    out.println(
        executed
            ? "Rewrote " + what + "."
            : "Would rewrite " + what + ". Nothing was changed; do it with --execute.");
  }

  private static String sums(CompactionResult table) {
    if (table.before().isEmpty()) {
      return "-";
    }
    return table.before().equals(table.after()) ? "as before" : "DIFFER";
  }

  @Override
  public JsonNode json() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("executed", executed);
    ArrayNode array = node.putArray("tables");
    for (CompactionResult each : tables) {
      ObjectNode table = array.addObject();
      table.put("partition", each.partition());
      table.put("table", each.table());
      table.put("name", each.name());
      table.put("files", each.files());
      table.put("rewritten_files", each.rewritten());
      table.put("written_files", each.written());
      table.put("rewritten_bytes", each.bytes());
      table.put("rewritten_rows", each.rows());
      each.before().ifPresent(sums -> table.set("before", json(sums)));
      each.after().ifPresent(sums -> table.set("after", json(sums)));
      ArrayNode notes = table.putArray("notes");
      each.notes().forEach(notes::add);
      table.put("problem", each.problem().orElse(null));
    }
    Refusal.addJson(refusals, node);
    return node;
  }

  private static ObjectNode json(RowSums sums) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("rows", sums.rows());
    sums.amountSum().ifPresent(sum -> node.put("amount_sum", sum.toString()));
    return node;
  }

  @Override
  public List<String> csvHeader() {
    return List.of(
        "partition",
        "table",
        "name",
        "executed",
        "files",
        "rewritten_files",
        "written_files",
        "rewritten_bytes",
        "rewritten_rows",
        "rows_before",
        "rows_after",
        "amount_sum_before",
        "amount_sum_after",
        "notes",
        "problem");
  }

  @Override
  public List<List<String>> csvRows() {
    List<List<String>> rows = new ArrayList<>();
    refusals.forEach(refusal -> rows.add(refusal.csvRow(csvHeader().size())));
    tables.forEach(each -> rows.add(csvRow(each)));
    return rows;
  }

  private List<String> csvRow(CompactionResult each) {
    return List.of(
        Integer.toString(each.partition()),
        each.table(),
        each.name(),
        Boolean.toString(executed),
        Long.toString(each.files()),
        Long.toString(each.rewritten()),
        Long.toString(each.written()),
        Long.toString(each.bytes()),
        Long.toString(each.rows()),
        each.before().map(sums -> Long.toString(sums.rows())).orElse(""),
        each.after().map(sums -> Long.toString(sums.rows())).orElse(""),
        amounts(each.before()),
        amounts(each.after()),
        String.join("; ", each.notes()),
        each.problem().orElse(""));
  }

  private static String amounts(Optional<RowSums> sums) {
    return sums.flatMap(RowSums::amountSum).map(Object::toString).orElse("");
  }
}
