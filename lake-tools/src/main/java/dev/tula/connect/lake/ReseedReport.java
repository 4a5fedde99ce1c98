package dev.tula.connect.lake;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tula.connect.lake.output.Format;
import dev.tula.connect.lake.output.Report;
import dev.tula.connect.lake.output.TextTable;
import dev.tula.connect.lake.reseed.Gap;
import dev.tula.connect.lake.reseed.Reseed;
import dev.tula.connect.sink.engine.PipelineIdentity;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What {@code reseed} shows.
 *
 * @param identity the generation that ends
 * @param plan what is lost and what follows
 * @param waiting whether the sink has yet to write what the data topic holds
 * @param recorded whether the gap was recorded
 * @param files the configurations that were written
 */
record ReseedReport(
    PipelineIdentity identity,
    Reseed.Plan plan,
    boolean waiting,
    boolean recorded,
    List<Path> files)
    implements Report {
  @Override
  public void printTable(PrintWriter out) {
    out.println(
        "pipeline "
            + identity.pipeline()
            + ", generation "
            + identity.generation()
            + ": the ledger's history begins after "
            + plan.floor()
            + " and ends at "
            + plan.head());
    out.println();
    TextTable table = TextTable.of(">PARTITION", "WATERMARK", "LOST FOR EVER", ">BATCHES");
    for (Gap gap : plan.gaps()) {
      table.row(
          gap.partition(),
          gap.watermark().map(Object::toString).orElse("-"),
          gap.missing().isEmpty() ? "-" : gap.missing().toString(),
          Format.number(gap.batches()));
    }
    table.print(out, "");
    out.println();
    if (waiting) {
      printWaiting(out);
    } else if (plan.isBegun()) {
      out.println("Generation " + plan.next().number() + " has begun; the gap is final.");
      out.println(recorded ? "It is recorded in the lake." : "Record it with --execute.");
    } else {
      printNext(out);
    }
  }

  private void printWaiting(PrintWriter out) {
    for (Gap gap : plan.unwritten()) {
      out.println(
          "partition "
              + gap.partition()
              + ": the data topic holds "
              + Format.number(gap.unwritten())
              + " records beyond the watermark");
    }
    out.println(
        "Let the sink write them first: only then is known what is lost. Nothing was done.");
    out.println("If they are known to bring nothing, say so with --drained.");
  }

  private void printNext(PrintWriter out) {
    out.println("Generation " + plan.next().number() + " begins where the ledger's history does.");
    print("source", plan.next().source(), out);
    print("sink", plan.next().sink(), out);
    out.println();
    if (recorded) {
      out.println("The gap is recorded in the lake.");
      files.forEach(file -> out.println("written: " + file));
      out.println("PUT both configurations to Connect, then resume both connectors.");
      out.println(
          "Once the next generation has begun, run this again: the gap's end may have moved.");
    } else {
      out.println("Nothing was changed. Stop both connectors, then run this again with --execute");
      out.println("(--write DIR writes both configurations).");
    }
  }

  private static void print(String connector, Map<String, String> changes, PrintWriter out) {
    out.println("  in the configuration of the " + connector + ":");
    changes.forEach((key, value) -> out.println("    " + key + "=" + value));
  }

  @Override
  public JsonNode json() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("pipeline", identity.pipeline());
    node.put("generation", identity.generation());
    node.put("floor", plan.floor().toString());
    node.put("head", plan.head().toString());
    node.put("waiting", waiting);
    node.put("recorded", recorded);
    node.put("begun", plan.isBegun());
    ArrayNode gaps = node.putArray("partitions");
    for (Gap gap : plan.gaps()) {
      ObjectNode each = gaps.addObject();
      each.put("partition", gap.partition());
      each.put("watermark", gap.watermark().map(Object::toString).orElse(null));
      each.put("missing_from", gap.missing().from().toString());
      each.put("missing_to", gap.missing().to().toString());
      each.put("missing_batches", gap.batches());
      each.put("next_start", gap.start().map(Object::toString).orElse(null));
      each.put("unwritten", gap.unwritten());
    }
    ObjectNode next = node.putObject("next");
    next.put("generation", plan.next().number());
    ObjectNode source = next.putObject("source");
    plan.next().source().forEach(source::put);
    ObjectNode sink = next.putObject("sink");
    plan.next().sink().forEach(sink::put);
    ArrayNode written = node.putArray("files");
    files.forEach(file -> written.add(file.toString()));
    return node;
  }

  @Override
  public List<String> csvHeader() {
    return List.of(
        "partition",
        "watermark",
        "missing_from",
        "missing_to",
        "missing_batches",
        "next_start",
        "unwritten",
        "recorded");
  }

  @Override
  public List<List<String>> csvRows() {
    return plan.gaps().stream()
        .map(
            gap ->
                List.of(
                    Integer.toString(gap.partition()),
                    Format.cell(gap.watermark()),
                    gap.missing().from().toString(),
                    gap.missing().to().toString(),
                    Long.toString(gap.batches()),
                    Format.cell(gap.start()),
                    Long.toString(gap.unwritten()),
                    Boolean.toString(recorded)))
        .toList();
  }
}
