package dev.tula.connect.model.event;

import dev.tula.connect.model.Position;
import java.time.Instant;
import java.util.Optional;

/**
 * A person lifted a halt.
 *
 * @param identity whose
 * @param id the halt that is no longer in force
 * @param acceptedRewind where the person accepted that the lake was set back, the watermark that
 *     was accepted (C8)
 * @param by who, as the command's user
 * @param at when
 */
public record ClearEvent(
    EventIdentity identity, String id, Optional<Position> acceptedRewind, String by, Instant at)
    implements LakeEvent {
  static final String TYPE = "clear";

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
        .put("accepted_rewind", acceptedRewind)
        .put("by", by)
        .putAt(at)
        .json();
  }

  static ClearEvent read(EventReader reader) {
    return new ClearEvent(
        EventIdentity.read(reader),
        reader.text("id"),
        reader.optionalPosition("accepted_rewind"),
        reader.text("by"),
        reader.instant("at"));
  }
}
