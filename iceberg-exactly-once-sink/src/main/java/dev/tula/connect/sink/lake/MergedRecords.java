package dev.tula.connect.sink.lake;

import dev.tula.connect.model.Position;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.PriorityQueue;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.parquet.GenericParquetReaders;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.CloseableIterator;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Types;

/**
 * The records of several files as one run in position order, with every column that the table has.
 * A file is opened no sooner than its first position is due, so of files that follow one another
 * only one is open at a time.
 *
 * <p>Not thread-safe.
 */
final class MergedRecords implements CloseableIterator<Record> {
  private static final String BATCH = "global_batch_seq";
  private static final String INDEX = "array_index";

  private final Table table;
  private final boolean ordered;
  private final Deque<DataFile> unopened = new ArrayDeque<>();
  private final PriorityQueue<Cursor> open =
      new PriorityQueue<>(Comparator.comparing(cursor -> cursor.position));

  /** One file being read. */
  private final class Cursor {
    private final DataFile file;
    private final CloseableIterator<Record> records;
    private Record record;
    private Position position;

    Cursor(DataFile file) {
      this.file = file;
      Schema schema = table.schema();
      CloseableIterable<Record> rows =
          Parquet.read(table.io().newInputFile(file))
              .project(schema)
              .createReaderFunc(type -> GenericParquetReaders.buildReader(schema, type))
              .build();
      this.records = rows.iterator();
    }

    boolean advance() {
      if (!records.hasNext()) {
        return false;
      }
      record = records.next();
      Position last = position;
      position = MergedRecords.this.position(record);
      if (ordered && last != null && !position.isAfter(last)) {
        throw new ChangedRowsException(
            "file "
                + file.location()
                + " of table "
                + table.name()
                + " is not in the order of positions: "
                + position
                + " comes after "
                + last,
            null);
      }
      return true;
    }
  }

  /**
   * @param files none with a partition, and none of whose rows were deleted
   */
  MergedRecords(Table table, List<DataFile> files) {
    this(table, files, true);
  }

  private MergedRecords(Table table, List<DataFile> files, boolean ordered) {
    this.table = table;
    this.ordered = ordered;
    List<DataFile> sorted = new ArrayList<>(files);
    sorted.sort(Comparator.comparingLong(file -> firstBatch(table, file)));
    unopened.addAll(sorted);
  }

  /** One file's records as they are, whatever their order. */
  static MergedRecords asTheyAre(Table table, DataFile file) {
    return new MergedRecords(table, List.of(file), false);
  }

  /** A file's first batch as its metrics have it; where they lack it, it may be any. */
  private static long firstBatch(Table table, DataFile file) {
    int id = table.schema().findField(BATCH).fieldId();
    ByteBuffer bound = file.lowerBounds() == null ? null : file.lowerBounds().get(id);
    return bound == null ? 0 : Conversions.<Long>fromByteBuffer(Types.LongType.get(), bound);
  }

  /** A record's place. */
  Position position(Record record) {
    Object batch = record.getField(BATCH);
    Object index = record.getField(INDEX);
    try {
      return new Position((Long) batch, (Integer) index);
    } catch (IllegalArgumentException | NullPointerException e) {
      throw new ChangedRowsException(
          "table " + table.name() + " has a row at the impossible position " + batch + ":" + index,
          e);
    }
  }

  @Override
  public boolean hasNext() {
    openWhatIsDue();
    return !open.isEmpty();
  }

  @Override
  public Record next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    Cursor first = open.poll();
    Record record = first.record;
    addIfMore(first);
    return record;
  }

  private void openWhatIsDue() {
    while (!unopened.isEmpty()
        && (open.isEmpty()
            || firstBatch(table, unopened.peek()) <= open.peek().position.globalBatchSeq())) {
      addIfMore(new Cursor(unopened.poll()));
    }
  }

  private void addIfMore(Cursor cursor) {
    boolean more = false;
    try {
      more = cursor.advance();
    } finally {
      if (!more) {
        close(cursor);
      }
    }
    if (more) {
      open.add(cursor);
    }
  }

  private static void close(Cursor cursor) {
    try {
      cursor.records.close();
    } catch (IOException e) {
      throw new UncheckedIOException("can't close " + cursor.file.location(), e);
    }
  }

  @Override
  public void close() {
    open.forEach(MergedRecords::close);
    open.clear();
  }
}
