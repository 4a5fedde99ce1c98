package dev.tula.connect.sink.engine;

import dev.tula.connect.model.event.CheckpointEvent;
import dev.tula.connect.model.event.ClearEvent;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.event.HaltEvent;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.model.event.TableEvent;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What the event topics say of one partition.
 *
 * @param newestCheckpoint the one with the highest W; after a rewind was accepted (C8), of those
 *     published since
 * @param highestEpoch the highest writer epoch that any event names
 * @param anyTrace whether there is any checkpoint or table event (C3)
 * @param halts the message of every halt, by id
 * @param clearedHalts the ids that were cleared
 */
public record EventsView(
    Optional<CheckpointEvent> newestCheckpoint,
    long highestEpoch,
    boolean anyTrace,
    Map<String, String> halts,
    Set<String> clearedHalts) {

  /** A topic with nothing of this partition. */
  public static final EventsView EMPTY =
      new EventsView(Optional.empty(), 0, false, Map.of(), Set.of());

  /** Copies the collections. */
  public EventsView {
    Objects.requireNonNull(newestCheckpoint, "newestCheckpoint");
    halts = Collections.unmodifiableMap(new TreeMap<>(halts));
    clearedHalts = Collections.unmodifiableSet(new TreeSet<>(clearedHalts));
  }

  /**
   * Sums up events.
   *
   * @param own whose events count; all others are passed over
   * @param events each topic's in its own order
   */
  public static EventsView of(EventIdentity own, List<LakeEvent> events) {
    Builder builder = new Builder(own);
    events.forEach(builder::add);
    return builder.build();
  }

  private static final class Builder {
    private final EventIdentity own;
    private final Map<String, String> halts = new TreeMap<>();
    private final Set<String> cleared = new TreeSet<>();
    private Optional<CheckpointEvent> newest = Optional.empty();
    private long highestEpoch;
    private boolean anyTrace;

    Builder(EventIdentity own) {
      this.own = own;
    }

    void add(LakeEvent event) {
      if (event instanceof CheckpointEvent checkpoint && checkpoint.identity().equals(own)) {
        addCheckpoint(checkpoint);
      } else if (event instanceof TableEvent table && table.identity().equals(own)) {
        anyTrace = true;
        highestEpoch = Math.max(highestEpoch, table.epoch());
      } else if (event instanceof HaltEvent halt && halt.identity().equals(own)) {
        halts.put(halt.id(), halt.message());
      } else if (event instanceof ClearEvent clear && clear.identity().equals(own)) {
        addClear(clear);
      }
    }

    private void addCheckpoint(CheckpointEvent checkpoint) {
      anyTrace = true;
      highestEpoch = Math.max(highestEpoch, checkpoint.epoch());
      if (newest.isEmpty() || checkpoint.to().isAfter(newest.get().to())) {
        newest = Optional.of(checkpoint);
      }
    }

    private void addClear(ClearEvent clear) {
      cleared.add(clear.id());
      if (clear.acceptedRewind().isPresent()) {
        newest = Optional.empty();
      }
    }

    EventsView build() {
      return new EventsView(newest, highestEpoch, anyTrace, halts, cleared);
    }
  }
}
