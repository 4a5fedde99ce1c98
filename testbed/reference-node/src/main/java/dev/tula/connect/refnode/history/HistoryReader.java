package dev.tula.connect.refnode.history;

import java.io.Closeable;
import java.nio.file.Path;

/**
 * The batches of a history in order, read from its files alone: without an index, a lock or an
 * engine. Not thread-safe.
 */
public final class HistoryReader implements Closeable {
  private final SegmentScanner scanner;

  /** Before the first batch. */
  public HistoryReader(Path directory) {
    scanner = new SegmentScanner(directory);
  }

  /**
   * Moves to the next batch; false after the last whole one.
   *
   * @throws HistoryException if the files are damaged
   */
  public boolean next() {
    while (scanner.next()) {
      if (!scanner.entry().tick()) {
        return true;
      }
    }
    return false;
  }

  /** The batch's number. */
  public long globalBatchSeq() {
    return scanner.entry().globalBatchSeq();
  }

  /** The batch's commit time, µs. */
  public long recordedAtMicros() {
    return scanner.entry().timeMicros();
  }

  /** The batch's records, before the first. */
  public RecordCursor batch() {
    return new RecordCursor(globalBatchSeq(), scanner.payload(), scanner.entry().records());
  }

  @Override
  public void close() {
    scanner.close();
  }
}
