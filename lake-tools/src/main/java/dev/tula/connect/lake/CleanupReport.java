package dev.tula.connect.lake;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tula.connect.lake.maintain.CleanupResult;
import dev.tula.connect.lake.output.ExitCode;
import dev.tula.connect.lake.output.Format;
import dev.tula.connect.lake.output.Report;
import dev.tula.connect.lake.output.TextTable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;

/**
 * What {@code cleanup} shows.
 *
 * @param executed whether it was done
 * @param tables each table
 * @param refusals the partitions that were left alone
 */
record CleanupReport(boolean executed, List<CleanupResult> tables, List<Refusal> refusals)
    implements Report {
  int exitCode() {
    boolean leftAlone = tables.stream().anyMatch(table -> table.problem().isPresent());
    return Math.max(leftAlone ? ExitCode.FAIL : ExitCode.OK, Refusal.exitCode(refusals));
  }

  private long sum(ToLongFunction<CleanupResult> of) {
    return tables.stream().mapToLong(of).sum();
  }

  @Override
  public void printTable(PrintWriter out) {
    TextTable table =
        TextTable.of(
            "TABLE",
            ">SNAPSHOTS",
            ">PINNED",
            executed ? ">EXPIRED" : ">TO EXPIRE",
            ">FILES DELETED",
            ">ORPHANS",
            ">METADATA BYTES",
            ">AFTER");
    for (CleanupResult each : tables) {
      table.row(
          each.name(),
          Format.number(each.snapshots()),
          Format.number(each.pinned()),
          Format.number(each.expired()),
          executed ? Format.number(each.expiredFiles()) : "-",
          words(each.orphans()),
          words(each.metadataBytes()),
          words(each.metadataBytesAfter()));
    }
    table.print(out, "");
    out.println();
    refusals.forEach(refusal -> refusal.why().forEach(out::println));
    tables.forEach(each -> each.problem().ifPresent(out::println));
    if (sum(CleanupResult::undeleted) > 0) {
      out.println(
          Format.number(sum(CleanupResult::undeleted))
              + " files could not be deleted; nothing leads to them. The log says why");
    }
    out.println(verdict());
  }

  private static String words(OptionalLong number) {
    return number.isPresent() ? Format.number(number.getAsLong()) : "-";
  }

  private String verdict() {
    String what =
        Format.number(sum(CleanupResult::expired))
            + " snapshots and "
            + Format.number(sum(each -> each.orphans().orElse(0)))
            + " orphans with "
            + Format.number(sum(CleanupResult::orphanBytes))
            + " bytes";
    return executed
        ? "Cleaned up " + what + "."
        : "Would clean up " + what + ". Nothing was changed; do it with --execute.";
  }

  @Override
  public JsonNode json() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("executed", executed);
    ArrayNode array = node.putArray("tables");
    for (CleanupResult each : tables) {
      ObjectNode table = array.addObject();
      table.put("partition", each.partition());
      table.put("table", each.table());
      table.put("name", each.name());
      table.put("snapshots", each.snapshots());
      table.put("pinned", each.pinned());
      table.put("expired", each.expired());
      table.put("expired_files_deleted", each.expiredFiles());
      put(table, "orphans", each.orphans());
      table.put("orphan_bytes", each.orphanBytes());
      table.put("undeleted_files", each.undeleted());
      put(table, "metadata_bytes", each.metadataBytes());
      put(table, "metadata_bytes_after", each.metadataBytesAfter());
      table.put("problem", each.problem().orElse(null));
    }
    Refusal.addJson(refusals, node);
    return node;
  }

  private static void put(ObjectNode node, String key, OptionalLong value) {
    if (value.isPresent()) {
      node.put(key, value.getAsLong());
    } else {
      node.putNull(key);
    }
  }

  @Override
  public List<String> csvHeader() {
    return List.of(
        "partition",
        "table",
        "name",
        "executed",
        "snapshots",
        "pinned",
        "expired",
        "expired_files_deleted",
        "orphans",
        "orphan_bytes",
        "undeleted_files",
        "metadata_bytes",
        "metadata_bytes_after",
        "problem");
  }

  @Override
  public List<List<String>> csvRows() {
    List<List<String>> rows = new ArrayList<>();
    refusals.forEach(refusal -> rows.add(refusal.csvRow(csvHeader().size())));
    tables.forEach(each -> rows.add(csvRow(each)));
    return rows;
  }

  private List<String> csvRow(CleanupResult each) {
    return List.of(
        Integer.toString(each.partition()),
        each.table(),
        each.name(),
        Boolean.toString(executed),
        Long.toString(each.snapshots()),
        Long.toString(each.pinned()),
        Long.toString(each.expired()),
        Long.toString(each.expiredFiles()),
        cell(each.orphans()),
        Long.toString(each.orphanBytes()),
        Long.toString(each.undeleted()),
        cell(each.metadataBytes()),
        cell(each.metadataBytesAfter()),
        each.problem().orElse(""));
  }

  private static String cell(OptionalLong number) {
    return number.isPresent() ? Long.toString(number.getAsLong()) : "";
  }
}
