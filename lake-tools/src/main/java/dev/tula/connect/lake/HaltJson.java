package dev.tula.connect.lake;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tula.connect.lake.state.Halt;
import java.util.Locale;

/** A halt as a JSON document, the same in every command's answer. */
final class HaltJson {
  private HaltJson() {}

  static ObjectNode of(Halt halt) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("id", halt.id());
    node.put("reason", halt.reasonWord());
    node.put("finding", halt.finding());
    node.put("cure", halt.cure().orElse(null));
    node.put("at", halt.at().map(Object::toString).orElse(null));
    node.put("in_topic", halt.inTopic().name().toLowerCase(Locale.ROOT));
    node.put("in_table", halt.inTable().name().toLowerCase(Locale.ROOT));
    return node;
  }
}
