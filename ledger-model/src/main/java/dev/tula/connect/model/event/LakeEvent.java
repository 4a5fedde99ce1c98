package dev.tula.connect.model.event;

import dev.tula.connect.model.MalformedRecordException;

/**
 * An event of one export partition. Its {@link #key()} makes the topic's compaction keep the newest
 * of its kind; both key and value are one line of JSON, in a fixed order of fields.
 */
public sealed interface LakeEvent
    permits CheckpointEvent, TableEvent, HaltEvent, ClearEvent, RepairEvent {
  /** The version of the documents. */
  int VERSION = 1;

  /** Whose it is. */
  EventIdentity identity();

  /** The {@code type} in the document. */
  String type();

  /** The Kafka record's key. */
  String key();

  /** The Kafka record's value. */
  String value();

  /**
   * Reads an event from a record's value.
   *
   * @throws MalformedRecordException if it is not one of this version's events
   */
  static LakeEvent parse(String value) {
    EventReader reader = EventReader.of(value);
    return switch (reader.type()) {
      case CheckpointEvent.TYPE -> CheckpointEvent.read(reader);
      case TableEvent.TYPE -> TableEvent.read(reader);
      case HaltEvent.TYPE -> HaltEvent.read(reader);
      case ClearEvent.TYPE -> ClearEvent.read(reader);
      case RepairEvent.TYPE -> RepairEvent.read(reader);
      default ->
          throw new MalformedRecordException("event type \"" + reader.type() + "\" is not known");
    };
  }
}
