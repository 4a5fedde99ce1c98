package dev.tula.connect.sink.engine.sim;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.event.CheckpointEvent;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.sink.engine.EventLog;
import dev.tula.connect.sink.engine.EventsView;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** The event topics of the partition. */
public final class SimLog implements EventLog {
  private final EventIdentity own;
  private final Consumer<LakeEvent> listener;
  private final List<LakeEvent> events = new ArrayList<>();

  /** Empty topics. */
  public SimLog(EventIdentity own, Consumer<LakeEvent> listener) {
    this.own = own;
    this.listener = listener;
  }

  @Override
  public EventsView read() {
    return EventsView.of(own, events);
  }

  @Override
  public void publish(List<LakeEvent> published) {
    for (LakeEvent event : published) {
      events.add(event);
      listener.accept(event);
    }
  }

  /** Everything that was published. */
  public List<LakeEvent> events() {
    return events;
  }

  /** Leaves the newest record of each key, where it stands. */
  void compact() {
    Map<String, LakeEvent> newest = new LinkedHashMap<>();
    for (LakeEvent event : events) {
      newest.remove(event.key());
      newest.put(event.key(), event);
    }
    events.clear();
    events.addAll(newest.values());
  }

  /** What the source acks: the maximum over the partition's own checkpoints (C20, I4). */
  Optional<Position> acked() {
    return events.stream()
        .filter(CheckpointEvent.class::isInstance)
        .map(event -> ((CheckpointEvent) event).to())
        .max(Position::compareTo);
  }
}
