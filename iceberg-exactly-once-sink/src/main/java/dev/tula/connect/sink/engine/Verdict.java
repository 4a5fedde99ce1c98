package dev.tula.connect.sink.engine;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.StreamItem;

/** What became of an item that was offered to a {@link RangeAssembler}. */
public sealed interface Verdict {
  /** It was taken, or was a replay that agrees with what was taken before. */
  record Taken() implements Verdict {}

  /** The range must be cut before it; then it is to be offered again. */
  record CutFirst() implements Verdict {}

  /**
   * It opens the stream: W₀ must be committed, then {@link RangeAssembler#resume} called.
   *
   * @param start the item
   */
  record Begin(StreamItem.Start start) implements Verdict {}

  /**
   * It is a replay older than the window: it must be compared with the lake, then passed over
   * (C13).
   *
   * @param row the replayed row
   */
  record CompareWithLake(CanonicalRow row) implements Verdict {}

  /**
   * It does not continue the stream, and nothing was read before it since resuming: the whole Kafka
   * partition is to be read before giving up (C10).
   *
   * @param finding what to halt with if that does not help
   */
  record SearchFirst(Finding finding) implements Verdict {}

  /**
   * Lake and stream disagree.
   *
   * @param finding on what
   */
  record Halt(Finding finding) implements Verdict {}

  /**
   * It belongs to another stream: 88.
   *
   * @param stop the end
   */
  record Refuse(Stop stop) implements Verdict {}
}
