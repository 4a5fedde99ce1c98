package dev.tula.connect.refnode.truth;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.refnode.history.HistoryReader;
import dev.tula.connect.refnode.history.RecordCursor;
import dev.tula.connect.refnode.history.RecordForm;
import java.io.Closeable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Every record of a ledger, in order, as one export partition in one record mode sees it. Reads the
 * history's files, also while a node writes them; it then ends with the last whole batch. Not
 * thread-safe.
 */
public final class TruthReader implements Closeable {
  private final HistoryReader history;
  private final int partition;
  private final int partitionCount;
  private final RecordForm form;
  private final Position through;
  private RecordCursor batch;
  private CanonicalRow row;

  private TruthReader(
      Path directory, int partition, int partitionCount, RecordForm form, Position through) {
    if (partitionCount < 1 || partition < 0 || partition >= partitionCount) {
      throw new IllegalArgumentException(
          "partition " + partition + " of " + partitionCount + " does not exist");
    }
    this.history = new HistoryReader(directory);
    this.partition = partition;
    this.partitionCount = partitionCount;
    this.form = form;
    this.through = through;
  }

  /** The truth of one export partition, up to and with a position. */
  public static TruthReader open(
      Path directory, int partition, int partitionCount, RecordForm form, Position through) {
    return new TruthReader(directory, partition, partitionCount, form, through);
  }

  /** The whole truth. */
  public static TruthReader open(Path directory, RecordForm form) {
    return open(directory, 0, 1, form, Position.batchEnd(Long.MAX_VALUE));
  }

  /** Moves to the next record; false after the last. */
  public boolean next() {
    while (batch != null || nextBatch()) {
      while (batch.next()) {
        if (batch.position().isAfter(through)) {
          return false;
        }
        if (form.includeMetadata() || !batch.isMetadata()) {
          row = batch.row(form);
          return true;
        }
      }
      batch = null;
    }
    return false;
  }

  private boolean nextBatch() {
    while (history.next()) {
      if (history.globalBatchSeq() > through.globalBatchSeq()) {
        return false;
      }
      if (history.globalBatchSeq() % partitionCount == partition) {
        batch = history.batch();
        return true;
      }
    }
    return false;
  }

  /** The record's position. */
  public Position position() {
    return row.position();
  }

  /** The record's canonical bytes. */
  public CanonicalRow row() {
    return row;
  }

  /** The records from here to the end, copied. All of them are in memory then. */
  public List<CanonicalRow> remaining() {
    List<CanonicalRow> rows = new ArrayList<>();
    while (next()) {
      rows.add(CanonicalRow.of(row.toByteArray()));
    }
    return rows;
  }

  @Override
  public void close() {
    history.close();
  }
}
