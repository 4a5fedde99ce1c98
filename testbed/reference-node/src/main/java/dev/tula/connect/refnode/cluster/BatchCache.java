package dev.tula.connect.refnode.cluster;

import dev.tula.connect.refnode.history.History;
import dev.tula.connect.refnode.history.RecordCursor;

/**
 * Keeps the batch that a reader is in the middle of, so that small pages do not read a large batch
 * over and over. One per connection. Not thread-safe.
 */
final class BatchCache implements PageScan.BatchSource {
  private final History history;
  private RecordCursor cached;

  BatchCache(History history) {
    this.history = history;
  }

  @Override
  public int metadataRecords(long gbs) {
    return history.metadataRecords(gbs);
  }

  @Override
  public int records(long gbs) {
    return history.records(gbs);
  }

  @Override
  public RecordCursor batch(long gbs, int afterIndex) {
    if (cached == null || cached.globalBatchSeq() != gbs) {
      cached = history.batch(gbs);
    }
    cached.seekAfter(afterIndex);
    return cached;
  }
}
