package dev.tula.connect.model.event;

import java.time.Instant;

/**
 * A durability halt (86) is in force until an event, or the watermark table, clears its id (C25).
 *
 * @param identity whose
 * @param id the halt's id
 * @param reason the kind of disagreement, as a short word
 * @param message what was found, where, and how to cure it
 * @param writerId who found it
 * @param epoch its epoch
 * @param claim its claim number, n
 * @param at when
 */
public record HaltEvent(
    EventIdentity identity,
    String id,
    String reason,
    String message,
    String writerId,
    long epoch,
    long claim,
    Instant at)
    implements LakeEvent {
  static final String TYPE = "halt";

  @Override
  public String type() {
    return TYPE;
  }

  @Override
  public String key() {
    return EventWriter.key(this).put("id", id).json();
  }

  @Override
  public String value() {
    return EventWriter.value(this)
        .put("id", id)
        .put("reason", reason)
        .put("message", message)
        .put("writer_id", writerId)
        .put("epoch", epoch)
        .put("n", claim)
        .putAt(at)
        .json();
  }

  static HaltEvent read(EventReader reader) {
    return new HaltEvent(
        EventIdentity.read(reader),
        reader.text("id"),
        reader.text("reason"),
        reader.text("message"),
        reader.text("writer_id"),
        reader.number("epoch"),
        reader.number("n"),
        reader.instant("at"));
  }
}
