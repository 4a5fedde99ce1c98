package dev.tula.connect.lake;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tula.connect.lake.maintain.CleanupResult;
import dev.tula.connect.lake.output.Format;
import dev.tula.connect.lake.output.Report;
import dev.tula.connect.lake.output.TextTable;
import java.io.PrintWriter;
import java.util.List;
import java.util.OptionalLong;

/**
 * What {@code cleanup} shows.
 *
 * @param executed whether it was done
 * @param lake what was done, or would be
 */
record CleanupReport(boolean executed, ChangedLake<CleanupResult> lake) implements Report {
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
    for (CleanupResult each : lake.tables()) {
      table.row(
          each.name(),
          Format.number(each.snapshots()),
          Format.number(each.pinned()),
          Format.number(each.expired()),
          executed ? Format.number(each.expiredFiles()) : "-",
          Format.number(each.orphans()),
          Format.number(each.metadataBytes()),
          Format.number(each.metadataBytesAfter()));
    }
    table.print(out, "");
    out.println();
    lake.printRefusals(out);
    lake.tables().forEach(each -> each.problem().ifPresent(out::println));
    if (lake.sum(CleanupResult::undeleted) > 0) {
      out.println(
          Format.number(lake.sum(CleanupResult::undeleted))
              + " files could not be deleted; nothing leads to them. The log says why");
    }
    out.println(verdict());
  }

  private String verdict() {
    String what =
        Format.number(lake.sum(CleanupResult::expired))
            + " snapshots and "
            + Format.number(lake.sum(each -> each.orphans().orElse(0)))
            + " orphans with "
            + Format.number(lake.sum(CleanupResult::orphanBytes))
            + " bytes";
    return executed
        ? "Cleaned up " + what + "."
        : "Would clean up " + what + ". Nothing was changed; do it with --execute.";
  }

  @Override
  public JsonNode json() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("executed", executed);
    lake.addTables(node, CleanupReport::addValues);
    Refusal.addJson(lake.refusals(), node);
    return node;
  }

  private static void addValues(CleanupResult each, ObjectNode table) {
    table.put("snapshots", each.snapshots());
    table.put("pinned", each.pinned());
    table.put("expired", each.expired());
    table.put("expired_files_deleted", each.expiredFiles());
    put(table, "orphans", each.orphans());
    table.put("orphan_bytes", each.orphanBytes());
    table.put("undeleted_files", each.undeleted());
    put(table, "metadata_bytes", each.metadataBytes());
    put(table, "metadata_bytes_after", each.metadataBytesAfter());
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
    return ChangedLake.csvHeader(
        "executed",
        "snapshots",
        "pinned",
        "expired",
        "expired_files_deleted",
        "orphans",
        "orphan_bytes",
        "undeleted_files",
        "metadata_bytes",
        "metadata_bytes_after");
  }

  @Override
  public List<List<String>> csvRows() {
    return lake.csvRows(csvHeader(), executed, CleanupReport::csvValues);
  }

  private static List<String> csvValues(CleanupResult each) {
    return List.of(
        Long.toString(each.snapshots()),
        Long.toString(each.pinned()),
        Long.toString(each.expired()),
        Long.toString(each.expiredFiles()),
        Format.cell(each.orphans()),
        Long.toString(each.orphanBytes()),
        Long.toString(each.undeleted()),
        Format.cell(each.metadataBytes()),
        Format.cell(each.metadataBytesAfter()));
  }
}
