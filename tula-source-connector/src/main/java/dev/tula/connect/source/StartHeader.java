package dev.tula.connect.source;

import dev.tula.connect.model.Position;
import java.util.Optional;
import org.apache.kafka.connect.header.Headers;

/**
 * The header that names, on a START record, where the stream begins. A value's bytes are the
 * worker's converter's, which a task can't ask to read them back; a header's name passes every
 * converter as it is. It has no value.
 */
final class StartHeader {
  private static final String PREFIX = "tula-start:";

  private StartHeader() {}

  /** Adds it to a START record's headers. */
  static void addTo(Headers headers, Position from) {
    headers.add(PREFIX + from, null);
  }

  /**
   * Where the stream begins by this header.
   *
   * @return empty if it is another header
   */
  static Optional<Position> parse(String name) {
    if (!name.startsWith(PREFIX)) {
      return Optional.empty();
    }
    try {
      return Optional.of(Position.parse(name.substring(PREFIX.length())));
    } catch (IllegalArgumentException e) {
      // Somebody else's, or damaged: whoever looks for it finds that there is none.
      return Optional.empty();
    }
  }
}
