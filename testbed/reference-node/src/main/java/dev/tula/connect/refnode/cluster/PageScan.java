package dev.tula.connect.refnode.cluster;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.wire.FrameCodec;
import dev.tula.connect.model.wire.Message.Fetch;
import dev.tula.connect.refnode.history.RecordCursor;
import dev.tula.connect.refnode.history.RecordForm;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One page in the making. {@link #advance} may be called again as the head moves, until something
 * was found. What it covers is what it scanned, batches of other partitions included: to the end of
 * a batch, or, where the page is full within a batch, to the last record that it holds. Not
 * thread-safe.
 */
final class PageScan {
  private final BatchSource source;
  private final Fetch fetch;
  private final RecordForm form;
  private final long maxRowsBytes;
  private final long maxFrameRowsBytes;
  private final List<CanonicalRow> rows = new ArrayList<>();
  private Position covered;
  private long rowsBytes;
  private long frameBytes;
  private boolean full;

  /** Where batches come from. */
  interface BatchSource {
    int metadataRecords(long gbs);

    int records(long gbs);

    /** A batch's records, with the cursor before the first after that index. */
    RecordCursor batch(long gbs, int afterIndex);
  }

  /**
   * A page after {@code fetch.after()}.
   *
   * @param maxFrameRowsBytes what is left in the frame for its rows and their lengths
   */
  PageScan(BatchSource source, Fetch fetch, RecordForm form, long maxFrameRowsBytes) {
    this.source = source;
    this.fetch = fetch;
    this.form = form;
    this.maxRowsBytes = fetch.maxBytes();
    this.maxFrameRowsBytes = maxFrameRowsBytes;
    this.covered = fetch.after();
  }

  /** Scans on, up to this head. */
  void advance(long head) {
    Position limit = limit(head);
    while (!full && limit.isAfter(covered)) {
      if (!rows.isEmpty() && (rows.size() >= fetch.maxRecords() || rowsBytes >= maxRowsBytes)) {
        full = true;
        return;
      }
      long gbs = covered.isBatchEnd() ? covered.globalBatchSeq() + 1 : covered.globalBatchSeq();
      long toNext = Math.floorMod(fetch.partition() - gbs, (long) fetch.partitionCount());
      if (toNext > 0) {
        covered = Position.min(limit, Position.batchEnd(gbs + toNext - 1));
      } else if (!form.includeMetadata() && source.metadataRecords(gbs) == source.records(gbs)) {
        covered = Position.min(limit, Position.batchEnd(gbs));
      } else {
        scanBatch(gbs, limit);
      }
    }
  }

  private Position limit(long head) {
    Position end = Position.batchEnd(head);
    Optional<Position> until = fetch.until();
    return until.isPresent() ? Position.min(end, until.get()) : end;
  }

  private void scanBatch(long gbs, Position limit) {
    int after = covered.globalBatchSeq() == gbs ? covered.arrayIndex() : -1;
    RecordCursor cursor = source.batch(gbs, after);
    while (cursor.next()) {
      Position position = cursor.position();
      if (position.isAfter(limit)) {
        break;
      }
      if (cursor.isMetadata() && !form.includeMetadata()) {
        continue;
      }
      int length = cursor.rowLength(form);
      if (!fits(length)) {
        full = true;
        return;
      }
      take(cursor.row(form));
      covered = position;
    }
    covered = Position.min(limit, Position.batchEnd(gbs));
  }

  /** The first row of a page always fits: no row comes near the smallest frame allowed. */
  private boolean fits(int length) {
    return rows.isEmpty()
        || rows.size() < fetch.maxRecords()
            && rowsBytes + length <= maxRowsBytes
            && frameBytes + length + Integer.BYTES <= maxFrameRowsBytes;
  }

  private void take(CanonicalRow row) {
    rows.add(row);
    rowsBytes += row.length();
    frameBytes += FrameCodec.encodedRowBytes(row);
  }

  /** Whether there is something to answer without waiting. */
  boolean isComplete() {
    return !rows.isEmpty() || fetch.until().isPresent() && !fetch.until().get().isAfter(covered);
  }

  Position covered() {
    return covered;
  }

  List<CanonicalRow> rows() {
    return rows;
  }
}
