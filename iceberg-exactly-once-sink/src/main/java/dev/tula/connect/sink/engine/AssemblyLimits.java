package dev.tula.connect.sink.engine;

/**
 * When a range is cut, at the first end of a batch after a limit was reached; a batch is bounded by
 * the protocol.
 *
 * @param maxRows the rows of a range
 * @param maxBytes the bytes of a range's rows in memory
 * @param replayWindowRows how many rows are remembered to compare replays with
 */
public record AssemblyLimits(int maxRows, long maxBytes, int replayWindowRows) {
  /**
   * @throws IllegalArgumentException if a limit is not positive
   */
  public AssemblyLimits {
    if (maxRows < 1 || maxBytes < 1 || replayWindowRows < 2) {
      throw new IllegalArgumentException("every limit must be positive");
    }
  }
}
