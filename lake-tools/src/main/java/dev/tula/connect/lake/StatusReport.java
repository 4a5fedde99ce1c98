package dev.tula.connect.lake;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tula.connect.lake.output.Format;
import dev.tula.connect.lake.output.Report;
import dev.tula.connect.lake.output.TextTable;
import dev.tula.connect.lake.state.Halt;
import dev.tula.connect.sink.engine.PipelineIdentity;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;

/**
 * What {@code status} shows.
 *
 * @param identity the pipeline
 * @param namespace where its tables are
 * @param fault what is wrong with the identity table
 * @param reseed what is recorded of the generation's end; absent while it goes on
 * @param partitions each partition
 */
record StatusReport(
    PipelineIdentity identity,
    String namespace,
    Optional<String> fault,
    Optional<JsonNode> reseed,
    List<PartitionStatus> partitions)
    implements Report {

  @Override
  public void printTable(PrintWriter out) {
    out.printf(
        "pipeline %s, generation %d, cluster %s: %d partition(s), layout %s, namespace %s%n",
        identity.pipeline(),
        identity.generation(),
        identity.clusterId(),
        identity.partitionCount(),
        identity.layout().configName(),
        namespace);
    fault.ifPresent(what -> out.println("PROBLEM  " + what));
    reseed.ifPresent(gap -> printReseed(gap, out));
    partitions.forEach(partition -> print(partition, out));
  }

  private static void printReseed(JsonNode record, PrintWriter out) {
    out.println(
        "RESEED   generation "
            + record.path("generation").asText("?")
            + " follows this one, recorded by "
            + record.path("by").asText("?")
            + " at "
            + record.path("at").asText("?"));
    record
        .path("missing")
        .properties()
        .forEach(
            gap ->
                out.println(
                    "  partition "
                        + gap.getKey()
                        + " lost ("
                        + gap.getValue().path("from").asText("?")
                        + ", "
                        + gap.getValue().path("to").asText("?")
                        + "], "
                        + gap.getValue().path("batches").asText("?")
                        + " batches"
                        + (gap.getValue().path("started").asBoolean()
                            ? ""
                            : "; the next one has not begun, so its end may move")));
  }

  private static void print(PartitionStatus status, PrintWriter out) {
    out.println();
    out.println("partition " + status.partition());
    line(out, "watermark", watermark(status));
    line(
        out,
        "writer",
        status
            .claim()
            .map(
                claim ->
                    "epoch "
                        + claim.epoch()
                        + ", claim "
                        + claim.number()
                        + " ("
                        + claim.writerId()
                        + ")")
            .orElse("none yet"));
    status
        .kafka()
        .ifPresent(
            kafka ->
                line(
                    out,
                    "reads on at",
                    kafka.topic() + "-" + kafka.partition() + ", offset " + kafka.offset()));
    line(
        out,
        "checkpoint",
        status
            .checkpoint()
            .map(checkpoint -> checkpoint.to() + ", published " + checkpoint.at())
            .orElse("none yet"));
    status.rows().ifPresent(rows -> line(out, "rows", Format.number(rows)));
    status.halts().forEach(halt -> print(halt, out));
    status.problems().forEach(problem -> line(out, "PROBLEM", problem));
    printTables(status, out);
  }

  private static String watermark(PartitionStatus status) {
    return status.watermark().map(position -> position.toString()).orElse("none published yet")
        + status.closedThrough().map(time -> ", closed through " + time).orElse("")
        + status.lag().map(lag -> " (" + Format.span(lag) + " ago)").orElse("");
  }

  private static void print(Halt halt, PrintWriter out) {
    line(
        out,
        "HALT",
        halt.id()
            + ", "
            + halt.reasonWord()
            + halt.at().map(at -> ", since " + at).orElse("")
            + ": "
            + halt.finding());
    halt.cure().ifPresent(cure -> line(out, "  cure", cure));
    line(
        out,
        "  then",
        "tula-lake clear-durability-halt --confirm, and restart the task if it failed");
  }

  private static void printTables(PartitionStatus status, PrintWriter out) {
    TextTable table = TextTable.of("TABLE", ">ROWS", "ENDS AT", "");
    for (PartitionStatus.TableStatus each : status.tables()) {
      table.row(
          each.name(),
          Format.number(each.rows()),
          each.end().map(position -> position.toString()).orElse("-"),
          each.ahead() ? "ahead of the watermark" : "");
    }
    table.print(out, "  ");
  }

  private static void line(PrintWriter out, String label, String text) {
    out.printf("  %-12s %s%n", label, text);
  }

  @Override
  public JsonNode json() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("pipeline", identity.pipeline());
    node.put("cluster_id", identity.clusterId());
    node.put("generation", identity.generation());
    node.put("partition_count", identity.partitionCount());
    node.put("layout", identity.layout().configName());
    node.put("namespace", namespace);
    fault.ifPresent(what -> node.put("problem", what));
    reseed.ifPresent(gap -> node.set("reseed", gap));
    ArrayNode array = node.putArray("partitions");
    partitions.forEach(status -> addJson(status, array.addObject()));
    return node;
  }

  private static void addJson(PartitionStatus status, ObjectNode node) {
    node.put("partition", status.partition());
    node.put("watermark", status.watermark().map(Object::toString).orElse(null));
    node.put("closed_through", status.closedThrough().map(Object::toString).orElse(null));
    status.lag().ifPresent(lag -> node.put("closed_through_lag_ms", lag.toMillis()));
    status
        .claim()
        .ifPresent(
            claim ->
                node.put("writer_epoch", claim.epoch())
                    .put("writer_claim", claim.number())
                    .put("writer_id", claim.writerId()));
    status.rows().ifPresent(rows -> node.put("rows", rows));
    status
        .kafka()
        .ifPresent(
            kafka ->
                node.put("kafka_topic", kafka.topic())
                    .put("kafka_partition", kafka.partition())
                    .put("kafka_offset", kafka.offset()));
    status
        .checkpoint()
        .ifPresent(
            checkpoint ->
                node.put("checkpoint", checkpoint.to().toString())
                    .put("checkpoint_at", checkpoint.at().toString()));
    ArrayNode tables = node.putArray("tables");
    status.tables().forEach(table -> addJson(table, tables.addObject()));
    ArrayNode halts = node.putArray("halts");
    status.halts().forEach(halt -> halts.add(HaltJson.of(halt)));
    ArrayNode problems = node.putArray("problems");
    status.problems().forEach(problems::add);
  }

  private static void addJson(PartitionStatus.TableStatus table, ObjectNode node) {
    node.put("table", table.table());
    node.put("name", table.name());
    table.rows().ifPresent(rows -> node.put("rows", rows));
    node.put("ends_at", table.end().map(Object::toString).orElse(null));
    node.put("ahead", table.ahead());
  }

  @Override
  public List<String> csvHeader() {
    return List.of(
        "partition",
        "watermark",
        "closed_through",
        "closed_through_lag_ms",
        "writer_epoch",
        "writer_claim",
        "rows",
        "kafka_topic",
        "kafka_partition",
        "kafka_offset",
        "checkpoint",
        "checkpoint_at",
        "tables_ahead",
        "halts",
        "problems",
        "lost_from",
        "lost_to");
  }

  @Override
  public List<List<String>> csvRows() {
    return partitions.stream().map(this::csvRow).toList();
  }

  private List<String> csvRow(PartitionStatus status) {
    JsonNode lost =
        reseed
            .map(gap -> gap.path("missing").path(Integer.toString(status.partition())))
            .orElse(MissingNode.getInstance());
    return List.of(
        Integer.toString(status.partition()),
        Format.cell(status.watermark()),
        Format.cell(status.closedThrough()),
        Format.cell(status.lag().map(lag -> lag.toMillis())),
        Format.cell(status.claim().map(claim -> claim.epoch())),
        Format.cell(status.claim().map(claim -> claim.number())),
        Format.cell(status.rows()),
        Format.cell(status.kafka().map(kafka -> kafka.topic())),
        Format.cell(status.kafka().map(kafka -> kafka.partition())),
        Format.cell(status.kafka().map(kafka -> kafka.offset())),
        Format.cell(status.checkpoint().map(checkpoint -> checkpoint.to())),
        Format.cell(status.checkpoint().map(checkpoint -> checkpoint.at())),
        Integer.toString(status.tablesAhead().size()),
        String.join(
            "; ",
            status.halts().stream().map(halt -> halt.id() + " " + halt.reasonWord()).toList()),
        String.join("; ", status.problems()),
        lost.path("from").asText(),
        lost.path("to").asText());
  }
}
