package dev.tula.connect.lake.state;

import dev.tula.connect.model.event.HaltEvent;
import dev.tula.connect.sink.engine.HaltReason;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * A durability halt, put together from the two places that know of it (C25). It is in force until
 * either place says that it was cleared.
 *
 * @param id its id
 * @param reason the kind of disagreement; absent where this version knows no such kind
 * @param reasonWord the word of its kind, whether this version knows it or not
 * @param message what was found, where, and how to cure it
 * @param at when; the watermark table does not say
 * @param inTopic what the checkpoints topic says
 * @param inTable what the watermark table says
 */
public record Halt(
    String id,
    Optional<HaltReason> reason,
    String reasonWord,
    String message,
    Optional<Instant> at,
    Standing inTopic,
    Standing inTable) {

  /** What one place says of a halt. */
  public enum Standing {
    /** Nothing. */
    UNKNOWN,
    /** That it was recorded. */
    RECORDED,
    /** That it was cleared. */
    CLEARED
  }

  /** Whether it stops writers. */
  public boolean inForce() {
    return inTopic != Standing.CLEARED && inTable != Standing.CLEARED;
  }

  /** Whether one place says that it was cleared, and the other knows it and does not. */
  public boolean isHalfCleared() {
    return !inForce() && (inTopic == Standing.RECORDED || inTable == Standing.RECORDED);
  }

  /** The message without what to do. */
  public String finding() {
    return reason
        .filter(kind -> message.endsWith(". " + kind.cure()))
        .map(kind -> message.substring(0, message.length() - kind.cure().length() - 1))
        .orElse(message);
  }

  /** What to do; absent where the message is all there is. */
  public Optional<String> cure() {
    return reason.map(HaltReason::cure);
  }

  /**
   * Every halt that either place knows, by id.
   *
   * @param events the halts in the checkpoints topic
   * @param clearedInTopic the ids that it says were cleared
   * @param messages the messages in the watermark table
   * @param clearedInTable the ids that it says were cleared
   */
  static Map<String, Halt> merge(
      Map<String, HaltEvent> events,
      Set<String> clearedInTopic,
      Map<String, String> messages,
      Set<String> clearedInTable) {
    Set<String> ids = new TreeSet<>(events.keySet());
    ids.addAll(messages.keySet());
    Map<String, Halt> halts = new TreeMap<>();
    for (String id : ids) {
      Optional<HaltEvent> event = Optional.ofNullable(events.get(id));
      String message = event.map(HaltEvent::message).orElseGet(() -> messages.get(id));
      Optional<String> word = event.map(HaltEvent::reason);
      Optional<HaltReason> reason = reason(word, message);
      halts.put(
          id,
          new Halt(
              id,
              reason,
              word.or(() -> reason.map(HaltReason::word)).orElse("unknown"),
              message,
              event.map(HaltEvent::at),
              standing(event.isPresent(), clearedInTopic.contains(id)),
              standing(messages.containsKey(id), clearedInTable.contains(id))));
    }
    return halts;
  }

  private static Standing standing(boolean recorded, boolean cleared) {
    if (cleared) {
      return Standing.CLEARED;
    }
    return recorded ? Standing.RECORDED : Standing.UNKNOWN;
  }

  /** By the event's word; where there is no event, by the cure that the message ends with. */
  private static Optional<HaltReason> reason(Optional<String> word, String message) {
    return Stream.of(HaltReason.values())
        .filter(
            kind ->
                word.isPresent() ? kind.word().equals(word.get()) : message.endsWith(kind.cure()))
        .findFirst();
  }
}
