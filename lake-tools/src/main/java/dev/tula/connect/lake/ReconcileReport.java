package dev.tula.connect.lake;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tula.connect.lake.output.Format;
import dev.tula.connect.lake.output.Report;
import dev.tula.connect.lake.output.TextTable;
import dev.tula.connect.lake.reconcile.PartitionResult;
import dev.tula.connect.lake.reconcile.TableResult;
import dev.tula.connect.lake.reconcile.TableResult.Totals;
import java.io.PrintWriter;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What {@code reconcile} shows.
 *
 * @param fault what is wrong with the identity table
 * @param partitions each partition
 */
record ReconcileReport(Optional<String> fault, List<PartitionResult> partitions) implements Report {
  boolean passed() {
    return differences().isEmpty();
  }

  private List<String> differences() {
    List<String> all = new ArrayList<>(fault.stream().toList());
    for (PartitionResult partition : partitions) {
      partition
          .allDifferences()
          .forEach(what -> all.add("partition " + partition.partition() + ": " + what));
    }
    return all;
  }

  private long rows() {
    return tables().stream().flatMap(table -> table.found().stream()).mapToLong(Totals::rows).sum();
  }

  private List<TableResult> tables() {
    return partitions.stream().flatMap(partition -> partition.tables().stream()).toList();
  }

  @Override
  public void printTable(PrintWriter out) {
    for (PartitionResult partition : partitions) {
      out.println(
          "partition "
              + partition.partition()
              + ", watermark "
              + partition.watermark().map(Object::toString).orElse("none"));
      print(partition.tables(), out);
      out.println();
    }
    List<String> differences = differences();
    differences.forEach(out::println);
    out.println(
        differences.isEmpty()
            ? "PASS: "
                + tables().size()
                + " tables with "
                + Format.number(rows())
                + " rows agree with the commit log"
            : "FAIL: " + differences.size() + " differences");
  }

  private static void print(List<TableResult> tables, PrintWriter out) {
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
    table.print(out, "  ");
  }

  private static String amounts(Totals totals) {
    return totals.amountSum().map(Format::number).orElse("-");
  }

  @Override
  public JsonNode json() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("verdict", passed() ? "PASS" : "FAIL");
    node.put("tables", tables().size());
    node.put("rows", rows());
    ArrayNode array = node.putArray("partitions");
    for (PartitionResult partition : partitions) {
      ObjectNode each = array.addObject();
      each.put("partition", partition.partition());
      each.put("watermark", partition.watermark().map(Object::toString).orElse(null));
      ArrayNode tables = each.putArray("tables");
      partition.tables().forEach(table -> addJson(table, tables.addObject()));
    }
    ArrayNode differences = node.putArray("differences");
    differences().forEach(differences::add);
    return node;
  }

  private static void addJson(TableResult table, ObjectNode node) {
    node.put("table", table.table());
    node.put("name", table.name());
    node.put("ranges", table.ranges());
    node.put("repaired_ranges", table.repairedRanges());
    node.put("unpublished_range", table.unpublished());
    node.set("logged", json(table.logged()));
    table.stated().ifPresent(stated -> node.set("stated", json(stated)));
    table.found().ifPresent(found -> node.set("found", json(found)));
    ArrayNode differences = node.putArray("differences");
    table.differences().forEach(differences::add);
  }

  /** Amounts are strings: a JSON number of this size would be rounded by most readers. */
  private static ObjectNode json(Totals totals) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("rows", totals.rows());
    totals.amountSum().ifPresent(sum -> node.put("amount_sum", sum.toString()));
    return node;
  }

  @Override
  public List<String> csvHeader() {
    return List.of(
        "partition",
        "table",
        "name",
        "ranges",
        "repaired_ranges",
        "rows_logged",
        "rows_stated",
        "rows_found",
        "amount_sum_logged",
        "amount_sum_stated",
        "amount_sum_found",
        "agrees",
        "differences");
  }

  /** A row for each table, and one without a table for what is not of one table. */
  @Override
  public List<List<String>> csvRows() {
    List<List<String>> rows = new ArrayList<>();
    fault.ifPresent(what -> rows.add(csvRow("", List.of(what))));
    for (PartitionResult partition : partitions) {
      String number = Integer.toString(partition.partition());
      if (!partition.differences().isEmpty()) {
        rows.add(csvRow(number, partition.differences()));
      }
      partition.tables().forEach(table -> rows.add(csvRow(number, table)));
    }
    return rows;
  }

  private static List<String> csvRow(String partition, List<String> differences) {
    List<String> row = new ArrayList<>(List.of(partition));
    for (int i = 0; i < 10; i++) {
      row.add("");
    }
    row.add("false");
    row.add(String.join("; ", differences));
    return row;
  }

  private static List<String> csvRow(String partition, TableResult table) {
    return List.of(
        partition,
        table.table(),
        table.name(),
        Long.toString(table.ranges()),
        Long.toString(table.repairedRanges()),
        Long.toString(table.logged().rows()),
        table.stated().map(totals -> Long.toString(totals.rows())).orElse(""),
        table.found().map(totals -> Long.toString(totals.rows())).orElse(""),
        sum(Optional.of(table.logged())),
        sum(table.stated()),
        sum(table.found()),
        Boolean.toString(table.differences().isEmpty()),
        String.join("; ", table.differences()));
  }

  private static String sum(Optional<Totals> totals) {
    return totals.flatMap(Totals::amountSum).map(BigInteger::toString).orElse("");
  }
}
