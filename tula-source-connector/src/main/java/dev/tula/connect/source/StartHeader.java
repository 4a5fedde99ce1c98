package dev.tula.connect.source;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamItem;
import java.util.Optional;
import org.apache.kafka.connect.header.Headers;

/**
 * The headers that name, on a START record, where the stream begins and whose it is. A value's
 * bytes are the worker's converter's, which a task can't ask to read them back; a header's name
 * passes every converter as it is. They have no values.
 */
final class StartHeader {
  private static final String PREFIX = "tula-start:";
  private static final String OWNER_PREFIX = "tula-pipeline:";

  private StartHeader() {}

  /** Adds them to a START record's headers. */
  static void addTo(Headers headers, StreamItem.Start start) {
    headers.add(PREFIX + start.from(), null);
    headers.add(
        OWNER_PREFIX + owner(start.identity().pipeline(), start.identity().generation()), null);
  }

  /** Whose a stream is; no pipeline's name has a colon in it. */
  static String owner(String pipeline, int generation) {
    return pipeline + ":" + generation;
  }

  /**
   * Whose the stream is by this header, as {@link #owner} writes it.
   *
   * @return empty if it is another header; START records of versions before have none
   */
  static Optional<String> parseOwner(String name) {
    return name.startsWith(OWNER_PREFIX)
        ? Optional.of(name.substring(OWNER_PREFIX.length()))
        : Optional.empty();
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
