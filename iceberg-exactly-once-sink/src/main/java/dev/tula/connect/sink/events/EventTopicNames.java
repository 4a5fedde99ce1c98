package dev.tula.connect.sink.events;

import java.util.List;

/**
 * The two event topics of a generation.
 *
 * @param commits one event for each table and range, kept for ever
 * @param checkpoints the watermarks, halts and clears
 */
public record EventTopicNames(String commits, String checkpoints) {
  /** Both. */
  List<String> all() {
    return List.of(commits, checkpoints);
  }
}
