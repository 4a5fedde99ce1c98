package dev.tula.connect.sink.events;

import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.sink.engine.EventLog;
import dev.tula.connect.sink.engine.EventsView;
import java.util.List;
import java.util.Objects;

/** One partition's events on Kafka. Safe for any thread. */
public final class KafkaEventLog implements EventLog {
  private final EventIdentity identity;
  private final EventTail tail;
  private final EventPublisher publisher;

  /**
   * @param identity whose events
   * @param tail reads them
   * @param publisher writes them; stays the caller's to close
   */
  public KafkaEventLog(EventIdentity identity, EventTail tail, EventPublisher publisher) {
    this.identity = Objects.requireNonNull(identity, "identity");
    this.tail = Objects.requireNonNull(tail, "tail");
    this.publisher = Objects.requireNonNull(publisher, "publisher");
  }

  @Override
  public EventsView read() {
    return EventsView.of(identity, tail.read(identity.partition()));
  }

  @Override
  public void publish(List<LakeEvent> events) {
    publisher.publish(identity.partition(), events);
  }
}
