package dev.tula.connect.model.event;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.tula.connect.model.MalformedRecordException;
import dev.tula.connect.model.Position;
import java.math.BigInteger;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads the fields of an event's document strictly: what is missing or of another type is named and
 * refused.
 */
final class EventReader {
  // A name that stands twice, or a second document behind the first, has no one meaning.
  static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private final JsonNode document;

  private EventReader(JsonNode document) {
    this.document = document;
  }

  static EventReader of(String value) {
    if (value == null) {
      throw new MalformedRecordException(
          "an event is one JSON object, and this record has no value");
    }
    try {
      JsonNode document = JSON.readTree(value);
      if (document == null || !document.isObject()) {
        throw new MalformedRecordException("an event is one JSON object, not: " + abridged(value));
      }
      EventReader reader = new EventReader(document);
      if (reader.integer("v") != LakeEvent.VERSION) {
        throw new MalformedRecordException(
            "event version "
                + document.get("v")
                + " is not known; this version reads "
                + LakeEvent.VERSION);
      }
      return reader;
    } catch (JsonProcessingException e) {
      throw new MalformedRecordException("an event is one JSON object, not: " + abridged(value), e);
    }
  }

  private static String abridged(String value) {
    return value.length() <= 200 ? value : value.substring(0, 200) + "…";
  }

  String type() {
    return text("type");
  }

  String text(String name) {
    JsonNode node = node(name);
    if (!node.isTextual()) {
      throw fault(name, "a string");
    }
    return node.textValue();
  }

  Optional<String> optionalText(String name) {
    return document.hasNonNull(name) ? Optional.of(text(name)) : Optional.empty();
  }

  int integer(String name) {
    JsonNode node = node(name);
    if (!node.isIntegralNumber() || !node.canConvertToInt()) {
      throw fault(name, "a whole number of 32 bits");
    }
    return node.intValue();
  }

  long number(String name) {
    JsonNode node = node(name);
    if (!node.isIntegralNumber() || !node.canConvertToLong()) {
      throw fault(name, "a whole number of 64 bits");
    }
    return node.longValue();
  }

  Position position(String name) {
    try {
      return Position.parse(text(name));
    } catch (IllegalArgumentException e) {
      throw new MalformedRecordException("event field " + name + ": " + e.getMessage(), e);
    }
  }

  Optional<Position> optionalPosition(String name) {
    return document.hasNonNull(name) ? Optional.of(position(name)) : Optional.empty();
  }

  Optional<BigInteger> optionalAmount(String name) {
    try {
      return optionalText(name).map(BigInteger::new);
    } catch (NumberFormatException e) {
      throw new MalformedRecordException(
          "event field " + name + " must be a whole number in a string", e);
    }
  }

  Instant instant(String name) {
    try {
      return Instant.parse(text(name));
    } catch (DateTimeParseException e) {
      throw new MalformedRecordException(
          "event field " + name + " must be an instant as in 2026-01-31T12:00:00Z", e);
    }
  }

  /** A reader for each object of an array. */
  List<EventReader> objects(String name) {
    JsonNode array = node(name);
    List<EventReader> readers = new ArrayList<>();
    array.forEach(item -> readers.add(new EventReader(item)));
    if (!array.isArray() || readers.stream().anyMatch(reader -> !reader.document.isObject())) {
      throw fault(name, "an array of objects");
    }
    return readers;
  }

  private JsonNode node(String name) {
    JsonNode node = document.get(name);
    if (node == null || node.isNull()) {
      throw new MalformedRecordException("event lacks field " + name);
    }
    return node;
  }

  private static MalformedRecordException fault(String name, String what) {
    return new MalformedRecordException("event field " + name + " must be " + what);
  }
}
