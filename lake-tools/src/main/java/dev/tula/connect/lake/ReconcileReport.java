package dev.tula.connect.lake;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tula.connect.lake.output.Format;
import dev.tula.connect.lake.output.Report;
import dev.tula.connect.lake.output.TextTable;
import dev.tula.connect.lake.reconcile.TableResult;
import dev.tula.connect.sink.lake.RowSums;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;

/**
 * What {@code reconcile} shows.
 *
 * @param lake what was found
 */
record ReconcileReport(CheckedLake<TableResult> lake) implements Report {
  private long rows() {
    return lake.tables().stream()
        .flatMap(table -> table.found().stream())
        .mapToLong(RowSums::rows)
        .sum();
  }

  @Override
  public void printTable(PrintWriter out) {
    lake.print(
        out,
        ReconcileReport::form,
        lake.tables().size()
            + " tables with "
            + Format.number(rows())
            + " rows agree with the commit log");
  }

  private static TextTable form(List<TableResult> tables) {
    TextTable table =
        TextTable.of(
            "TABLE", ">RANGES", ">ROWS LOGGED", ">ROWS", ">AMOUNTS LOGGED", ">AMOUNTS", "");
    for (TableResult each : tables) {
      table.row(
          each.name(),
          Format.number(each.ranges()),
          Format.number(each.logged().rows()),
          each.found().map(found -> Format.number(found.rows())).orElse("?"),
          amounts(each.logged()),
          each.found().map(ReconcileReport::amounts).orElse("?"),
          each.differences().isEmpty() ? "ok" : "DIFFERS");
    }
    return table;
  }

  private static String amounts(RowSums sums) {
    return sums.amountSum().map(Format::number).orElse("-");
  }

  @Override
  public JsonNode json() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("verdict", lake.verdict());
    node.put("tables", lake.tables().size());
    node.put("rows", rows());
    lake.addJson(node, ReconcileReport::addJson);
    return node;
  }

  private static void addJson(TableResult table, ObjectNode node) {
    node.put("ranges", table.ranges());
    node.put("repaired_ranges", table.repairedRanges());
    node.put("unpublished_range", table.unpublished());
    node.set("logged", RowSumsForm.json(table.logged()));
    table.stated().ifPresent(stated -> node.set("stated", RowSumsForm.json(stated)));
    table.found().ifPresent(found -> node.set("found", RowSumsForm.json(found)));
  }

  @Override
  public List<String> csvHeader() {
    return CheckedLake.csvHeader(
        "ranges",
        "repaired_ranges",
        "rows_logged",
        "rows_stated",
        "rows_found",
        "amount_sum_logged",
        "amount_sum_stated",
        "amount_sum_found");
  }

  @Override
  public List<List<String>> csvRows() {
    return lake.csvRows(csvHeader(), ReconcileReport::csvValues);
  }

  private static List<String> csvValues(TableResult table) {
    return List.of(
        Long.toString(table.ranges()),
        Long.toString(table.repairedRanges()),
        Long.toString(table.logged().rows()),
        RowSumsForm.rows(table.stated()),
        RowSumsForm.rows(table.found()),
        RowSumsForm.amounts(Optional.of(table.logged())),
        RowSumsForm.amounts(table.stated()),
        RowSumsForm.amounts(table.found()));
  }
}
