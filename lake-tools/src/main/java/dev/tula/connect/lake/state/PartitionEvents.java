package dev.tula.connect.lake.state;

import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.model.MalformedRecordException;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.event.ClearEvent;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.event.HaltEvent;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.sink.engine.EventsView;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * What the checkpoints topic says of one partition.
 *
 * @param view as the engine sums it up
 * @param halts every halt, by id
 * @param acceptedRewinds the watermarks to which a person accepted that the lake was set back (C8)
 */
public record PartitionEvents(
    EventsView view, Map<String, HaltEvent> halts, List<Position> acceptedRewinds) {
  /** Copies the collections. */
  public PartitionEvents {
    halts = Collections.unmodifiableMap(new TreeMap<>(halts));
    acceptedRewinds = List.copyOf(acceptedRewinds);
  }

  /**
   * Reads them; a topic that is not there says nothing.
   *
   * @throws ToolException if the brokers can't be read, or a record is no event: a halt may hide in
   *     it
   */
  static PartitionEvents read(EventTopic checkpoints, EventIdentity own) {
    List<LakeEvent> events = new ArrayList<>();
    if (checkpoints.has(own.partition())) {
      checkpoints.read(own.partition(), entry -> addOwn(entry, own, events));
    }
    Map<String, HaltEvent> halts = new TreeMap<>();
    List<Position> acceptedRewinds = new ArrayList<>();
    for (LakeEvent event : events) {
      if (event instanceof HaltEvent halt) {
        halts.put(halt.id(), halt);
      } else if (event instanceof ClearEvent clear) {
        clear.acceptedRewind().ifPresent(acceptedRewinds::add);
      }
    }
    return new PartitionEvents(EventsView.of(own, events), halts, acceptedRewinds);
  }

  private static void addOwn(
      ConsumerRecord<String, String> entry, EventIdentity own, List<LakeEvent> events) {
    if (entry.value() == null) {
      return; // a tombstone
    }
    LakeEvent event;
    try {
      event = LakeEvent.parse(entry.value());
    } catch (MalformedRecordException e) {
      throw ToolException.error(
          "topic "
              + entry.topic()
              + ", partition "
              + entry.partition()
              + ", offset "
              + entry.offset()
              + " holds no event of ours: "
              + e.getMessage()
              + ". Find out who wrote it; nobody else may write to this topic",
          e);
    }
    if (event.identity().equals(own) && !isRepeat(events, event)) {
      events.add(event);
    }
  }

  /** Compaction lags, and each claim writes one checkpoint after another under one key. */
  private static boolean isRepeat(List<LakeEvent> events, LakeEvent event) {
    if (!events.isEmpty() && events.get(events.size() - 1).key().equals(event.key())) {
      events.set(events.size() - 1, event);
      return true;
    }
    return false;
  }
}
