package dev.tula.connect.lake;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tula.connect.lake.output.Format;
import dev.tula.connect.lake.output.Report;
import dev.tula.connect.lake.output.TextTable;
import dev.tula.connect.lake.reconcile.VerifiedTable;
import java.io.PrintWriter;
import java.util.List;

/**
 * What {@code verify} shows.
 *
 * @param lake what was found
 */
record VerifyReport(CheckedLake<VerifiedTable> lake) implements Report {
  private long ranges() {
    return lake.tables().stream().mapToLong(VerifiedTable::ranges).sum();
  }

  private long rows() {
    return lake.tables().stream().mapToLong(VerifiedTable::rows).sum();
  }

  @Override
  public void printTable(PrintWriter out) {
    lake.print(
        out,
        VerifyReport::form,
        Format.number(rows())
            + " rows in "
            + Format.number(ranges())
            + " ranges are those that were committed");
  }

  private static TextTable form(List<VerifiedTable> tables) {
    TextTable table = TextTable.of("TABLE", ">RANGES", ">ROWS", "CHAIN", "FIRST THAT DIFFERS", "");
    for (VerifiedTable each : tables) {
      table.row(
          each.name(),
          Format.number(each.ranges()),
          Format.number(each.rows()),
          each.chain().toString().substring(0, 16),
          each.firstDiffering().map(Object::toString).orElse("-"),
          each.differences().isEmpty() ? "ok" : "DIFFERS");
    }
    return table;
  }

  @Override
  public JsonNode json() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("verdict", lake.verdict());
    node.put("ranges", ranges());
    node.put("rows", rows());
    lake.addJson(node, VerifyReport::addJson);
    return node;
  }

  private static void addJson(VerifiedTable table, ObjectNode node) {
    node.put("ranges", table.ranges());
    node.put("repaired_ranges", table.repairedRanges());
    node.put("rows", table.rows());
    node.put("chain", table.chain().toString());
    node.put("differing_ranges", table.differing());
    node.put("first_differing_range", table.firstDiffering().map(Object::toString).orElse(null));
  }

  @Override
  public List<String> csvHeader() {
    return CheckedLake.csvHeader(
        "ranges", "repaired_ranges", "rows", "chain", "differing_ranges", "first_differing_range");
  }

  @Override
  public List<List<String>> csvRows() {
    return lake.csvRows(csvHeader(), VerifyReport::csvValues);
  }

  private static List<String> csvValues(VerifiedTable table) {
    return List.of(
        Long.toString(table.ranges()),
        Long.toString(table.repairedRanges()),
        Long.toString(table.rows()),
        table.chain().toString(),
        Long.toString(table.differing()),
        Format.cell(table.firstDiffering()));
  }
}
