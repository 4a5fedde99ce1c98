package dev.tula.connect.refnode.history;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.refnode.engine.RecordStore;
import dev.tula.connect.refnode.engine.RequestType;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The committed history in one directory. One thread at a time appends batches; any thread reads
 * what is committed, at or below {@link #head()}. A batch is there whole or not at all: one that a
 * crash cut off is dropped when the history is opened again, and nobody was shown it.
 *
 * <p>What is written survives the death of the process, not that of the machine: nothing is forced
 * to the disk.
 */
public final class History implements RecordStore, Closeable {
  /** The size after which a new segment is begun, unless told otherwise: 256 MiB. */
  public static final long DEFAULT_SEGMENT_BYTES = 256L << 20;

  private static final String LOCK_NAME = "history.lock";
  private static final int PROBE_BYTES = 512;

  /** Told of every record that a history already holds when it is opened. */
  public interface Replay {
    /** A record, in order. */
    void record(byte requestType, CanonicalRow stored, long locator);
  }

  private final Path directory;
  private final long segmentBytes;
  private final FileChannel lockChannel;
  private final BatchIndex index = new BatchIndex();
  private final List<SegmentFile> segments = new CopyOnWriteArrayList<>();
  private final BatchBuffer open = new BatchBuffer();
  private final LocatorList metadata = new LocatorList();
  private final LocatorList openMetadata = new LocatorList();
  private long writeAt;
  private long rows;
  private long metadataRows;
  private long inputCursor;
  private volatile long head;
  private volatile long closedMicros = Long.MIN_VALUE;

  /**
   * Takes hold of a directory; {@link #load} has to follow.
   *
   * @throws HistoryException if another process has it open
   */
  public History(Path directory, long segmentBytes) {
    if (segmentBytes < 1 || segmentBytes > Locator.MAX_OFFSET / 2) {
      throw new IllegalArgumentException(
          "segment size " + segmentBytes + " is not between 1 and " + Locator.MAX_OFFSET / 2);
    }
    this.directory = directory;
    this.segmentBytes = segmentBytes;
    this.lockChannel = lock(directory);
    open.clear();
  }

  private static FileChannel lock(Path directory) {
    Path file = directory.resolve(LOCK_NAME);
    try {
      Files.createDirectories(directory);
      FileChannel channel =
          FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      FileLock lock = tryLock(channel);
      if (lock == null) {
        channel.close();
        throw new HistoryException(
            directory
                + " is in use by another reference node: stop that one, or name another"
                + " directory");
      }
      return channel;
    } catch (IOException e) {
      throw new HistoryException(directory + " can't be used: " + e.getMessage(), e);
    }
  }

  private static FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null;
    }
  }

  /**
   * Replays what the directory holds, and makes ready for more.
   *
   * @throws HistoryException if it is damaged
   */
  public void load(Replay replay) {
    try (SegmentScanner scanner = new SegmentScanner(directory)) {
      while (scanner.next()) {
        Entry entry = scanner.entry();
        noteEntry(entry, Locator.of(scanner.segment(), scanner.entryAt()));
        if (!entry.tick()) {
          replayBatch(scanner, entry, replay);
        }
      }
      openSegments(scanner);
    }
    head = index.size();
  }

  private void noteEntry(Entry entry, long locator) {
    if (entry.tick()) {
      closedMicros = entry.timeMicros();
      return;
    }
    if (entry.globalBatchSeq() != index.size() + 1) {
      throw new HistoryException(
          directory + " holds batch " + entry.globalBatchSeq() + " after batch " + index.size());
    }
    index.add(locator, entry);
    rows += entry.records();
    metadataRows += entry.metadataRecords();
    inputCursor = entry.inputCursor();
  }

  private void replayBatch(SegmentScanner scanner, Entry entry, Replay replay) {
    RecordCursor cursor =
        new RecordCursor(entry.globalBatchSeq(), scanner.payload(), entry.records());
    long payloadAt = scanner.entryAt() + Entry.BYTES;
    while (cursor.next()) {
      long locator = Locator.of(scanner.segment(), payloadAt + cursor.headAt());
      if (cursor.isMetadata()) {
        metadata.add(locator);
      }
      replay.record(cursor.requestType(), cursor.stored(), locator);
    }
  }

  private void openSegments(SegmentScanner scanner) {
    for (int number = 0; Files.exists(SegmentFile.path(directory, number)); number++) {
      segments.add(SegmentFile.open(SegmentFile.path(directory, number), true));
    }
    if (segments.isEmpty()) {
      segments.add(SegmentFile.open(SegmentFile.path(directory, 0), true));
    }
    writeAt = scanner.endOffset();
    SegmentFile last = segments.get(segments.size() - 1);
    if (last.size() > writeAt) {
      last.truncate(writeAt);
    }
  }

  // Writing, by one thread

  @Override
  public long append(byte[] row, int length, int tailAt, int reasonAt, byte requestType) {
    if (open.records() == 0 && writeAt >= segmentBytes) {
      segments.add(SegmentFile.open(SegmentFile.path(directory, segments.size()), true));
      writeAt = 0;
    }
    int at = open.add(row, length, tailAt, reasonAt, requestType);
    long locator = Locator.of(segments.size() - 1, writeAt + at);
    if (tailAt == 0) {
      openMetadata.add(locator);
    }
    return locator;
  }

  /**
   * Commits the records appended since the last batch.
   *
   * @param recordedAtMicros their commit time; not before the last batch's, and after what was
   *     closed
   * @param cursor how far the input was used up
   * @return the batch's number
   */
  public long commitBatch(long recordedAtMicros, long cursor) {
    if (open.records() == 0) {
      throw new IllegalStateException("a batch without records can't be committed");
    }
    if (recordedAtMicros <= closedMicros
        || head > 0 && recordedAtMicros < index.recordedAtMicros(head)) {
      throw new IllegalStateException(
          "commit time " + recordedAtMicros + " lies before what is committed or closed");
    }
    Entry entry = open.seal(head + 1, recordedAtMicros, cursor);
    int segment = segments.size() - 1;
    segments.get(segment).write(writeAt, open.bytes(), open.length());
    noteEntry(entry, Locator.of(segment, writeAt));
    writeAt += open.length();
    open.clear();
    metadata.addAll(openMetadata);
    openMetadata.clear();
    head = entry.globalBatchSeq();
    return head;
  }

  /** Closes the time up to and with {@code micros}: every later batch is committed after it. */
  public void tick(long micros) {
    if (micros <= closedThroughMicros()) {
      return;
    }
    Entry entry = new Entry(true, 0, head, micros, inputCursor, 0, 0, 0);
    byte[] bytes = new byte[Entry.BYTES];
    entry.write(bytes, 0);
    segments.get(segments.size() - 1).write(writeAt, bytes, bytes.length);
    writeAt += bytes.length;
    closedMicros = micros;
  }

  // Reading, by any thread

  /** The number of the last committed batch; 0 before the first. */
  public long head() {
    return head;
  }

  /** The commit time of a batch at or below the head, µs. */
  public long recordedAtMicros(long gbs) {
    return index.recordedAtMicros(gbs);
  }

  /** The number of records in a batch at or below the head. */
  public int records(long gbs) {
    return index.records(gbs);
  }

  /** How many of a batch's records are metadata changes. */
  public int metadataRecords(long gbs) {
    return index.metadataRecords(gbs);
  }

  /** The number of records in all batches; for the writing thread. */
  public long rows() {
    return rows;
  }

  /** How many of them are metadata changes; for the writing thread. */
  public long metadataRows() {
    return metadataRows;
  }

  /** How far the input is used up; for the writing thread. */
  public long inputCursor() {
    return inputCursor;
  }

  /**
   * The time that is closed whatever comes: no later batch will be committed at or before it.
   * {@link Long#MIN_VALUE} before the first batch and tick.
   */
  public long closedThroughMicros() {
    long ticked = closedMicros;
    long last = head;
    // The next batch may be committed at the same microsecond as the last.
    return last == 0 ? ticked : Math.max(ticked, index.recordedAtMicros(last) - 1);
  }

  /**
   * The time that is closed at a position: every record committed at or before it lies at or below
   * the position. It never goes back, neither with the position nor with time.
   */
  public long closedThroughMicros(Position position) {
    long ticked = closedThroughMicros();
    long last = head;
    long gbs = position.globalBatchSeq();
    boolean withinBatch = gbs >= 1 && gbs <= last && position.arrayIndex() < index.records(gbs) - 1;
    long next = withinBatch ? gbs : gbs + 1;
    // A batch that came after the first look has a later time than what that look found closed.
    return next <= last ? index.recordedAtMicros(next) - 1 : ticked;
  }

  /** The records of a batch at or below the head, before the first. */
  public RecordCursor batch(long gbs) {
    long locator = index.locator(gbs);
    byte[] payload = new byte[index.payloadBytes(gbs)];
    segments
        .get(Locator.segment(locator))
        .readFully(Locator.offset(locator) + Entry.BYTES, payload, 0, payload.length);
    return new RecordCursor(gbs, payload, index.records(gbs));
  }

  /** The places of all metadata changes that are committed, in order. */
  public long[] metadataLocators() {
    return metadata.toArray();
  }

  /** The canonical bytes of the record at a place. */
  public CanonicalRow row(long locator) {
    byte[] bytes = readRecord(Locator.segment(locator), Locator.offset(locator));
    return CanonicalRow.of(bytes, RecordCursor.HEAD_BYTES, ByteBuffer.wrap(bytes).getInt());
  }

  @Override
  public StoredRecord read(long locator) {
    int segment = Locator.segment(locator);
    long offset = Locator.offset(locator);
    boolean inOpenBatch = segment == segments.size() - 1 && offset >= writeAt;
    byte[] bytes =
        inOpenBatch ? open.record((int) (offset - writeAt)) : readRecord(segment, offset);
    int length = ByteBuffer.wrap(bytes).getInt();
    return new StoredRecord(
        RequestType.ofCode(bytes[RecordCursor.HEAD_BYTES - 1]),
        CanonicalRow.of(bytes, RecordCursor.HEAD_BYTES, length));
  }

  private byte[] readRecord(int segment, long offset) {
    SegmentFile file = segments.get(segment);
    byte[] bytes = new byte[PROBE_BYTES];
    int got = file.read(offset, bytes, 0, bytes.length);
    int needed = RecordCursor.HEAD_BYTES + ByteBuffer.wrap(bytes).getInt();
    if (needed > got) {
      bytes = new byte[needed];
      file.readFully(offset, bytes, 0, needed);
    }
    return bytes;
  }

  @Override
  public void close() {
    List<SegmentFile> toClose = new ArrayList<>(segments);
    toClose.forEach(SegmentFile::close);
    try {
      lockChannel.close();
    } catch (IOException e) {
      throw new HistoryException(directory + ": lock can't be released: " + e.getMessage(), e);
    }
  }
}
