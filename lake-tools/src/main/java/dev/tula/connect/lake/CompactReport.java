package dev.tula.connect.lake;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tula.connect.lake.maintain.CompactionResult;
import dev.tula.connect.lake.output.Format;
import dev.tula.connect.lake.output.Report;
import dev.tula.connect.lake.output.TextTable;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * What {@code compact} shows.
 *
 * @param executed whether it was done
 * @param lake what was done, or would be
 */
record CompactReport(boolean executed, ChangedLake<CompactionResult> lake) implements Report {
  private String sum(ToLongFunction<CompactionResult> of) {
    return Format.number(lake.sum(of));
  }

  @Override
  public void printTable(PrintWriter out) {
    TextTable table =
        TextTable.of(
            "TABLE", ">FILES", ">REWRITTEN", ">INTO", ">BYTES", ">ROWS", "ROWS AND AMOUNTS");
    for (CompactionResult each : lake.tables()) {
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
    lake.printRefusals(out);
    for (CompactionResult each : lake.tables()) {
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
    lake.addTables(node, CompactReport::addValues);
    Refusal.addJson(lake.refusals(), node);
    return node;
  }

  private static void addValues(CompactionResult each, ObjectNode table) {
    table.put("files", each.files());
    table.put("rewritten_files", each.rewritten());
    table.put("written_files", each.written());
    table.put("rewritten_bytes", each.bytes());
    table.put("rewritten_rows", each.rows());
    each.before().ifPresent(sums -> table.set("before", RowSumsForm.json(sums)));
    each.after().ifPresent(sums -> table.set("after", RowSumsForm.json(sums)));
    each.notes().forEach(table.putArray("notes")::add);
  }

  @Override
  public List<String> csvHeader() {
    return ChangedLake.csvHeader(
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
        "notes");
  }

  @Override
  public List<List<String>> csvRows() {
    return lake.csvRows(csvHeader(), executed, CompactReport::csvValues);
  }

  private static List<String> csvValues(CompactionResult each) {
    return List.of(
        Long.toString(each.files()),
        Long.toString(each.rewritten()),
        Long.toString(each.written()),
        Long.toString(each.bytes()),
        Long.toString(each.rows()),
        RowSumsForm.rows(each.before()),
        RowSumsForm.rows(each.after()),
        RowSumsForm.amounts(each.before()),
        RowSumsForm.amounts(each.after()),
        String.join("; ", each.notes()));
  }
}
