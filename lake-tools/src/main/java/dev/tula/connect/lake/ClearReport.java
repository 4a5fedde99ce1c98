package dev.tula.connect.lake;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tula.connect.lake.clear.Clearing;
import dev.tula.connect.lake.output.Format;
import dev.tula.connect.lake.output.Report;
import dev.tula.connect.lake.state.Halt;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * What {@code clear-durability-halt} shows.
 *
 * @param confirmed whether it was done
 * @param clearings each halt
 */
record ClearReport(boolean confirmed, List<Clearing> clearings) implements Report {
  @Override
  public void printTable(PrintWriter out) {
    clearings.forEach(clearing -> print(clearing, out));
    if (clearings.stream().noneMatch(clearing -> clearing.halt().inForce())) {
      out.println("no durability halt is in force");
    } else if (confirmed) {
      out.println("Restart the sink's tasks: they open the partitions again.");
    } else {
      out.println("Nothing was changed. When the cause is cured, run this again with --confirm.");
    }
  }

  private void print(Clearing clearing, PrintWriter out) {
    Halt halt = clearing.halt();
    out.println(
        "partition "
            + clearing.partition()
            + ": halt "
            + halt.id()
            + ", "
            + halt.reasonWord()
            + halt.at().map(at -> ", since " + at).orElse(""));
    out.println("  " + halt.finding());
    halt.cure().ifPresent(cure -> out.println("  cure: " + cure));
    out.println("  " + (confirmed ? "" : "would be ") + action(clearing));
    clearing.warning().ifPresent(what -> out.println("  WARNING: " + what));
  }

  private static String action(Clearing clearing) {
    List<String> places = new ArrayList<>();
    if (clearing.publish()) {
      places.add("in the checkpoints topic");
    }
    if (clearing.record()) {
      places.add("in the watermark table");
    }
    return "cleared "
        + String.join(" and ", places)
        + clearing
            .acceptedRewind()
            .map(to -> ", accepting that the lake was set back to " + to)
            .orElse("");
  }

  @Override
  public JsonNode json() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("confirmed", confirmed);
    ArrayNode array = node.putArray("halts");
    for (Clearing clearing : clearings) {
      ObjectNode each = array.addObject();
      each.put("partition", clearing.partition());
      each.setAll(HaltJson.of(clearing.halt()));
      each.put("in_force_before", clearing.halt().inForce());
      each.put("clear_in_topic", clearing.publish());
      each.put("clear_in_table", clearing.record());
      each.put("accepted_rewind", clearing.acceptedRewind().map(Object::toString).orElse(null));
      each.put("warning", clearing.warning().orElse(null));
    }
    return node;
  }

  @Override
  public List<String> csvHeader() {
    return List.of(
        "partition",
        "id",
        "reason",
        "at",
        "finding",
        "in_force_before",
        "cleared",
        "accepted_rewind",
        "warning");
  }

  @Override
  public List<List<String>> csvRows() {
    return clearings.stream()
        .map(
            clearing ->
                List.of(
                    Integer.toString(clearing.partition()),
                    clearing.halt().id(),
                    clearing.halt().reasonWord(),
                    Format.cell(clearing.halt().at()),
                    clearing.halt().finding(),
                    Boolean.toString(clearing.halt().inForce()),
                    Boolean.toString(confirmed),
                    Format.cell(clearing.acceptedRewind()),
                    Format.cell(clearing.warning())))
        .toList();
  }
}
