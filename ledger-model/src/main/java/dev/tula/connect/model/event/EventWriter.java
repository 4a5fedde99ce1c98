package dev.tula.connect.model.event;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigInteger;
import java.time.Instant;
import java.util.Optional;

/** Writes an event's document, field by field in the order of the calls. */
final class EventWriter {
  private final ObjectNode document = EventReader.JSON.createObjectNode();

  private EventWriter() {}

  /** A key, begun with what every event's key says: its kind, and where it belongs. */
  static EventWriter key(LakeEvent event) {
    return new EventWriter()
        .put("type", event.type())
        .put("generation", event.identity().generation())
        .put("partition", event.identity().partition());
  }

  /** A value, begun with what every event's value says. */
  static EventWriter value(LakeEvent event) {
    return new EventWriter()
        .put("v", LakeEvent.VERSION)
        .put("type", event.type())
        .put(event.identity());
  }

  EventWriter put(String name, int value) {
    document.put(name, value);
    return this;
  }

  EventWriter put(String name, long value) {
    document.put(name, value);
    return this;
  }

  EventWriter put(String name, Object value) {
    document.put(name, value.toString());
    return this;
  }

  EventWriter put(String name, Optional<?> value) {
    value.ifPresent(present -> put(name, present));
    return this;
  }

  private EventWriter put(EventIdentity identity) {
    return put("pipeline", identity.pipeline())
        .put("cluster_id", identity.clusterId())
        .put("generation", identity.generation())
        .put("partition", identity.partition())
        .put("partition_count", identity.partitionCount());
  }

  EventWriter putAmount(String name, Optional<BigInteger> amount) {
    return put(name, amount);
  }

  EventWriter putAt(Instant at) {
    return put("at", at);
  }

  ObjectNode document() {
    return document;
  }

  String json() {
    return document.toString();
  }
}
