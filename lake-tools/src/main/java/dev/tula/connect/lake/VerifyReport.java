package dev.tula.connect.lake;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tula.connect.lake.output.Format;
import dev.tula.connect.lake.output.Report;
import dev.tula.connect.lake.output.TextTable;
import dev.tula.connect.lake.reconcile.VerifiedPartition;
import dev.tula.connect.lake.reconcile.VerifiedTable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What {@code verify} shows.
 *
 * @param fault what is wrong with the identity table
 * @param partitions each partition
 */
record VerifyReport(Optional<String> fault, List<VerifiedPartition> partitions) implements Report {
  boolean passed() {
    return differences().isEmpty();
  }

  private List<String> differences() {
    List<String> all = new ArrayList<>(fault.stream().toList());
    for (VerifiedPartition partition : partitions) {
      partition
          .allDifferences()
          .forEach(what -> all.add("partition " + partition.partition() + ": " + what));
    }
    return all;
  }

  private List<VerifiedTable> tables() {
    return partitions.stream().flatMap(partition -> partition.tables().stream()).toList();
  }

  private long ranges() {
    return tables().stream().mapToLong(VerifiedTable::ranges).sum();
  }

  private long rows() {
    return tables().stream().mapToLong(VerifiedTable::rows).sum();
  }

  @Override
  public void printTable(PrintWriter out) {
    for (VerifiedPartition partition : partitions) {
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
                + Format.number(rows())
                + " rows in "
                + Format.number(ranges())
                + " ranges are those that were committed"
            : "FAIL: " + differences.size() + " differences");
  }

  private static void print(List<VerifiedTable> tables, PrintWriter out) {
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
    table.print(out, "  ");
  }

  @Override
  public JsonNode json() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("verdict", passed() ? "PASS" : "FAIL");
    node.put("ranges", ranges());
    node.put("rows", rows());
    ArrayNode array = node.putArray("partitions");
    for (VerifiedPartition partition : partitions) {
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

  private static void addJson(VerifiedTable table, ObjectNode node) {
    node.put("table", table.table());
    node.put("name", table.name());
    node.put("ranges", table.ranges());
    node.put("repaired_ranges", table.repairedRanges());
    node.put("rows", table.rows());
    node.put("chain", table.chain().toString());
    node.put("differing_ranges", table.differing());
    node.put("first_differing_range", table.firstDiffering().map(Object::toString).orElse(null));
    ArrayNode differences = node.putArray("differences");
    table.differences().forEach(differences::add);
  }

  @Override
  public List<String> csvHeader() {
    return List.of(
        "partition",
        "table",
        "name",
        "ranges",
        "repaired_ranges",
        "rows",
        "chain",
        "differing_ranges",
        "first_differing_range",
        "agrees",
        "differences");
  }

  /** A row for each table, and one without a table for what is not of one table. */
  @Override
  public List<List<String>> csvRows() {
    List<List<String>> rows = new ArrayList<>();
    fault.ifPresent(what -> rows.add(csvRow("", List.of(what))));
    for (VerifiedPartition partition : partitions) {
      String number = Integer.toString(partition.partition());
      if (!partition.differences().isEmpty()) {
        rows.add(csvRow(number, partition.differences()));
      }
      partition.tables().forEach(table -> rows.add(csvRow(number, table)));
    }
    return rows;
  }

  private static List<String> csvRow(String partition, List<String> differences) {
    return List.of(
        partition, "", "", "", "", "", "", "", "", "false", String.join("; ", differences));
  }

  private static List<String> csvRow(String partition, VerifiedTable table) {
    return List.of(
        partition,
        table.table(),
        table.name(),
        Long.toString(table.ranges()),
        Long.toString(table.repairedRanges()),
        Long.toString(table.rows()),
        table.chain().toString(),
        Long.toString(table.differing()),
        table.firstDiffering().map(Object::toString).orElse(""),
        Boolean.toString(table.differences().isEmpty()),
        String.join("; ", table.differences()));
  }
}
