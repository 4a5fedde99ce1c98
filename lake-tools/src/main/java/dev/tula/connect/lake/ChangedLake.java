package dev.tula.connect.lake;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tula.connect.lake.output.ChangedTable;
import dev.tula.connect.lake.output.ExitCode;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * What the reports of {@code cleanup}, {@code compact} and {@code repair} have in common: each
 * table, and what was left as it is.
 *
 * @param <T> what is known of each table
 * @param tables each table
 * @param refusals the partitions that were left alone
 */
record ChangedLake<T extends ChangedTable>(List<T> tables, List<Refusal> refusals) {
  /** Copies the lists. */
  ChangedLake {
    tables = List.copyOf(tables);
    refusals = List.copyOf(refusals);
  }

  int exitCode() {
    boolean wrong = tables.stream().anyMatch(table -> table.problem().isPresent());
    return Math.max(wrong ? ExitCode.FAIL : ExitCode.OK, Refusal.exitCode(refusals));
  }

  long sum(ToLongFunction<T> of) {
    return tables.stream().mapToLong(of).sum();
  }

  void printRefusals(PrintWriter out) {
    refusals.forEach(refusal -> refusal.why().forEach(out::println));
  }

  /**
   * Adds the tables.
   *
   * @param addValues adds what is known of a table but its names and its problem
   */
  void addTables(ObjectNode node, BiConsumer<T, ObjectNode> addValues) {
    ArrayNode array = node.putArray("tables");
    for (T each : tables) {
      ObjectNode table = array.addObject();
      table.put("partition", each.partition());
      table.put("table", each.table());
      table.put("name", each.name());
      addValues.accept(each, table);
      table.put("problem", each.problem().orElse(null));
    }
  }

  /**
   * The names of a row's columns.
   *
   * @param mode that of the column that says whether anything was changed
   * @param values those of a table's values
   */
  static List<String> csvHeader(String mode, String... values) {
    List<String> names = new ArrayList<>(List.of("partition", "table", "name", mode));
    names.addAll(List.of(values));
    names.add("problem");
    return names;
  }

  /**
   * A row for each partition that was left alone, and one for each table.
   *
   * @param header as {@link #csvHeader} made it
   * @param mode whether anything was changed
   * @param values a table's
   */
  List<List<String>> csvRows(List<String> header, boolean mode, Function<T, List<String>> values) {
    List<List<String>> rows = new ArrayList<>();
    refusals.forEach(refusal -> rows.add(refusal.csvRow(header.size())));
    tables.forEach(each -> rows.add(csvRow(each, mode, values.apply(each))));
    return rows;
  }

  private List<String> csvRow(T table, boolean mode, List<String> values) {
    List<String> row = new ArrayList<>();
    row.add(Integer.toString(table.partition()));
    row.add(table.table());
    row.add(table.name());
    row.add(Boolean.toString(mode));
    row.addAll(values);
    row.add(table.problem().orElse(""));
    return row;
  }
}
