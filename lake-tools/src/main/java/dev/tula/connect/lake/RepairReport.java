package dev.tula.connect.lake;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tula.connect.lake.output.ExitCode;
import dev.tula.connect.lake.output.Format;
import dev.tula.connect.lake.output.Report;
import dev.tula.connect.lake.output.TextTable;
import dev.tula.connect.lake.repair.RepairResult;
import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What {@code repair} shows.
 *
 * @param dryRun whether it only compared
 * @param lake what was done, or would be
 */
record RepairReport(boolean dryRun, ChangedLake<RepairResult> lake) implements Report {
  int exitCode() {
    boolean right =
        lake.tables().stream()
            .allMatch(
                table ->
                    table.isSound()
                        || !dryRun && table.snapshotId().isPresent() && table.problem().isEmpty());
    return right ? ExitCode.OK : ExitCode.FAIL;
  }

  @Override
  public void printTable(PrintWriter out) {
    TextTable table =
        TextTable.of("TABLE", ">ROWS", ">MISSING", ">DOUBLED", ">ALTERED", ">NOT THE LEDGER'S", "");
    for (RepairResult each : lake.tables()) {
      table.row(
          each.name(),
          Format.number(each.expected()),
          Format.number(each.missing()),
          Format.number(each.doubled()),
          Format.number(each.altered()),
          Format.number(each.unexpected()),
          verdict(each));
    }
    table.print(out, "");
    out.println();
    lake.tables().forEach(each -> each.problem().ifPresent(out::println));
    if (lake.tables().stream().allMatch(RepairResult::isSound)) {
      out.println("Every row is there exactly once, as the ledger has it.");
    } else if (exitCode() == ExitCode.OK) {
      out.println("Repaired: every row is there exactly once, as the ledger has it.");
    } else {
      out.println(dryRun ? "Nothing was changed; repair it without --dry-run." : "Not repaired.");
    }
  }

  private static String verdict(RepairResult table) {
    if (table.isSound()) {
      return "ok";
    }
    if (table.problem().isPresent()) {
      return "NOT REPAIRED";
    }
    return table.snapshotId().isPresent() ? "repaired" : "DIFFERS";
  }

  @Override
  public JsonNode json() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("dry_run", dryRun);
    lake.addTables(node, RepairReport::addValues);
    return node;
  }

  private static void addValues(RepairResult each, ObjectNode table) {
    table.put("rows_expected", each.expected());
    table.put("missing", each.missing());
    table.put("doubled", each.doubled());
    table.put("altered", each.altered());
    table.put("unexpected", each.unexpected());
    ArrayNode ranges = table.putArray("ranges");
    each.ranges().forEach(range -> ranges.add(range.toString()));
    table.put("snapshot_id", each.snapshotId().orElse(null));
  }

  @Override
  public List<String> csvHeader() {
    return ChangedLake.csvHeader(
        "dry_run",
        "rows_expected",
        "missing",
        "doubled",
        "altered",
        "unexpected",
        "ranges",
        "snapshot_id");
  }

  @Override
  public List<List<String>> csvRows() {
    return lake.csvRows(csvHeader(), dryRun, RepairReport::csvValues);
  }

  private static List<String> csvValues(RepairResult each) {
    return List.of(
        Long.toString(each.expected()),
        Long.toString(each.missing()),
        Long.toString(each.doubled()),
        Long.toString(each.altered()),
        Long.toString(each.unexpected()),
        each.ranges().stream().map(Object::toString).collect(Collectors.joining(" ")),
        Format.cell(each.snapshotId()));
  }
}
