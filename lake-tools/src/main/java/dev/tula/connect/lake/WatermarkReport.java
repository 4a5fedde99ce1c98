package dev.tula.connect.lake;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tula.connect.lake.output.Format;
import dev.tula.connect.lake.output.Report;
import dev.tula.connect.lake.output.TextTable;
import dev.tula.connect.model.Position;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What {@code watermark} shows.
 *
 * @param rows a row for each partition
 */
record WatermarkReport(List<Row> rows) implements Report {
  /**
   * A partition's watermark.
   *
   * @param partition the export partition
   * @param watermark W
   * @param closedThrough the ledger is closed through this time at W
   * @param obstacles why the lake is not complete up to W, or not known to be; empty if it is
   */
  record Row(
      int partition,
      Optional<Position> watermark,
      Optional<Instant> closedThrough,
      List<String> obstacles) {
    boolean isComplete() {
      return obstacles.isEmpty();
    }
  }

  boolean isComplete() {
    return rows.stream().allMatch(Row::isComplete);
  }

  @Override
  public void printTable(PrintWriter out) {
    TextTable table = TextTable.of(">PARTITION", "WATERMARK", "CLOSED THROUGH", "COMPLETE");
    for (Row row : rows) {
      table.row(
          row.partition(),
          row.watermark().map(Object::toString).orElse("-"),
          row.closedThrough().map(Object::toString).orElse("-"),
          row.isComplete() ? "yes" : "no");
    }
    table.print(out, "");
    for (Row row : rows) {
      row.obstacles().forEach(what -> out.println("partition " + row.partition() + ": " + what));
    }
  }

  @Override
  public JsonNode json() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("complete", isComplete());
    ArrayNode array = node.putArray("partitions");
    for (Row row : rows) {
      ObjectNode each = array.addObject();
      each.put("partition", row.partition());
      each.put("watermark", row.watermark().map(Object::toString).orElse(null));
      each.put("closed_through", row.closedThrough().map(Object::toString).orElse(null));
      each.put("complete", row.isComplete());
      ArrayNode obstacles = each.putArray("obstacles");
      row.obstacles().forEach(obstacles::add);
    }
    return node;
  }

  @Override
  public List<String> csvHeader() {
    return List.of("partition", "watermark", "closed_through", "complete", "obstacles");
  }

  @Override
  public List<List<String>> csvRows() {
    return rows.stream()
        .map(
            row ->
                List.of(
                    Integer.toString(row.partition()),
                    Format.cell(row.watermark()),
                    Format.cell(row.closedThrough()),
                    Boolean.toString(row.isComplete()),
                    String.join("; ", row.obstacles())))
        .toList();
  }
}
