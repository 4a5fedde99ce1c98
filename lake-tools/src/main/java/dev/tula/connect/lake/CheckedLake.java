package dev.tula.connect.lake;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tula.connect.lake.output.TextTable;
import dev.tula.connect.lake.reconcile.CheckedPartition;
import dev.tula.connect.lake.reconcile.CheckedTable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * What the reports of {@code reconcile} and {@code verify} have in common: each partition, its
 * tables, and what differs.
 *
 * @param <T> what is known of each table
 * @param fault what is wrong with the identity table
 * @param partitions each partition
 */
record CheckedLake<T extends CheckedTable>(
    Optional<String> fault, List<CheckedPartition<T>> partitions) {
  /** Copies the list. */
  CheckedLake {
    partitions = List.copyOf(partitions);
  }

  boolean passed() {
    return differences().isEmpty();
  }

  String verdict() {
    return passed() ? "PASS" : "FAIL";
  }

  List<T> tables() {
    return partitions.stream().flatMap(partition -> partition.tables().stream()).toList();
  }

  private List<String> differences() {
    List<String> all = new ArrayList<>(fault.stream().toList());
    for (CheckedPartition<T> partition : partitions) {
      partition
          .allDifferences()
          .forEach(what -> all.add("partition " + partition.partition() + ": " + what));
    }
    return all;
  }

  /**
   * Prints it for a person to read.
   *
   * @param form a partition's tables
   * @param whatPassed what is said where nothing differs
   */
  void print(PrintWriter out, Function<List<T>, TextTable> form, String whatPassed) {
    for (CheckedPartition<T> partition : partitions) {
      out.println(
          "partition " + partition.partition() + ", watermark " + watermark(partition, "none"));
      form.apply(partition.tables()).print(out, "  ");
      out.println();
    }
    List<String> differences = differences();
    differences.forEach(out::println);
    out.println(
        differences.isEmpty()
            ? "PASS: " + whatPassed
            : "FAIL: " + differences.size() + " differences");
  }

  private String watermark(CheckedPartition<T> partition, String ifNone) {
    return partition.watermark().map(Object::toString).orElse(ifNone);
  }

  /**
   * Adds the partitions and what differs.
   *
   * @param addValues adds what is known of a table but its names and what differs
   */
  void addJson(ObjectNode node, BiConsumer<T, ObjectNode> addValues) {
    ArrayNode array = node.putArray("partitions");
    for (CheckedPartition<T> partition : partitions) {
      ObjectNode each = array.addObject();
      each.put("partition", partition.partition());
      each.put("watermark", watermark(partition, null));
      ArrayNode tables = each.putArray("tables");
      for (T table : partition.tables()) {
        ObjectNode values = tables.addObject();
        values.put("table", table.table());
        values.put("name", table.name());
        addValues.accept(table, values);
        table.differences().forEach(values.putArray("differences")::add);
      }
    }
    differences().forEach(node.putArray("differences")::add);
  }

  /** The names of a row's columns, around those of a table's values. */
  static List<String> csvHeader(String... values) {
    List<String> names = new ArrayList<>(List.of("partition", "table", "name"));
    names.addAll(List.of(values));
    names.addAll(List.of("agrees", "differences"));
    return names;
  }

  /**
   * A row for each table, and one without a table for what is not of one table.
   *
   * @param header as {@link #csvHeader} made it
   * @param values a table's
   */
  List<List<String>> csvRows(List<String> header, Function<T, List<String>> values) {
    List<String> none = header.subList(5, header.size()).stream().map(name -> "").toList();
    List<List<String>> rows = new ArrayList<>();
    fault.ifPresent(what -> rows.add(csvRow("", "", "", none, List.of(what))));
    for (CheckedPartition<T> partition : partitions) {
      String number = Integer.toString(partition.partition());
      if (!partition.differences().isEmpty()) {
        rows.add(csvRow(number, "", "", none, partition.differences()));
      }
      for (T table : partition.tables()) {
        rows.add(
            csvRow(number, table.table(), table.name(), values.apply(table), table.differences()));
      }
    }
    return rows;
  }

  private static List<String> csvRow(
      String partition, String table, String name, List<String> values, List<String> differences) {
    List<String> row = new ArrayList<>(List.of(partition, table, name));
    row.addAll(values);
    row.add(Boolean.toString(differences.isEmpty()));
    row.add(String.join("; ", differences));
    return row;
  }
}
