package dev.tula.connect.sink;

import dev.tula.connect.model.LedgerStruct;
import dev.tula.connect.model.StreamItem;
import java.util.ArrayDeque;
import java.util.Collection;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * The records between Connect's thread and a writer's. It takes whatever Connect delivers, since
 * {@code put} must not block; what bounds it is that the Kafka partition is paused while {@link
 * #isFull}, so that at most one more poll's records follow.
 */
final class RecordQueue {
  /** The objects of a record around its bytes, 454 bytes as measured on a 64-bit JVM. */
  private static final int OBJECT_BYTES = 512;

  /** A field of a record that another converter made: a reference, and the boxed value. */
  private static final int FIELD_BYTES = 80;

  private final long maxBytes;
  private final ArrayDeque<SinkRecord> records = new ArrayDeque<>();
  private long bytes;
  private boolean open;
  private boolean full;

  RecordQueue(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /**
   * Takes records in order, unless they were polled before the place was set that reading goes on
   * from.
   */
  synchronized void add(Collection<SinkRecord> polled) {
    if (!open) {
      return;
    }
    for (SinkRecord entry : polled) {
      records.add(entry);
      bytes += bytesOf(entry);
    }
    full |= bytes >= maxBytes;
  }

  synchronized SinkRecord poll() {
    SinkRecord next = records.poll();
    if (next != null) {
      bytes -= bytesOf(next);
      full &= bytes > maxBytes / 2;
    }
    return next;
  }

  /** Drops what is here and whatever comes until {@link #open}. */
  synchronized void close() {
    records.clear();
    bytes = 0;
    full = false;
    open = false;
  }

  /** From now on, records are of the place that was set. */
  synchronized void open() {
    close();
    open = true;
  }

  /** Whether the Kafka partition should be paused; it stays so until half of it is gone. */
  synchronized boolean isFull() {
    return full || !open;
  }

  /** The memory that they take, estimated for records that another converter made. */
  synchronized long bytes() {
    return bytes;
  }

  private static long bytesOf(SinkRecord entry) {
    if (entry.value() instanceof LedgerStruct struct
        && struct.item().orElse(null) instanceof StreamItem.Row row) {
      return OBJECT_BYTES + row.row().length();
    }
    return entry.value() instanceof Struct struct
        ? OBJECT_BYTES + (long) FIELD_BYTES * struct.schema().fields().size()
        : OBJECT_BYTES;
  }
}
