package dev.tula.connect.sink.engine;

import dev.tula.connect.model.event.LakeEvent;
import java.util.List;

/**
 * The event topics of one partition. Calls have a time limit and fail as {@link Lake} calls do,
 * with a {@link LakeException}.
 */
public interface EventLog {
  /** What both topics say up to their ends as of this call. */
  EventsView read();

  /** Publishes events; returns once every one is durable ({@code acks=all}). */
  void publish(List<LakeEvent> events);
}
