package dev.tula.connect.sink.engine;

import java.util.Map;

/**
 * A range as it was cut: what the engine commits, and the rows that its effects need.
 *
 * @param range for {@link CommitEngine#commit}
 * @param rows the rows by logical table, for {@link Effect.Stage}
 */
public record CutRange(SealedRange range, Map<String, TableRows> rows) {
  /** Copies the map. */
  public CutRange {
    rows = Map.copyOf(rows);
  }
}
