package dev.tula.connect.refnode.history;

import java.io.Closeable;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads every entry of a history from the first to the last, without an index and without a lock,
 * so that it can follow a history that another process writes. Not thread-safe.
 */
final class SegmentScanner implements Closeable {
  private final Path directory;
  private final byte[] head = new byte[Entry.BYTES];
  private SegmentFile segment;
  private int number;
  private long entryAt;
  private long offset;
  private Entry entry;
  private byte[] payload = new byte[0];

  SegmentScanner(Path directory) {
    this.directory = directory;
  }

  /**
   * Moves to the next entry; false where the last segment ends, or ends within an entry.
   *
   * @throws HistoryException if bytes that are there make no entry
   */
  boolean next() {
    while (segment != null || openSegment(0)) {
      if (readEntry()) {
        return true;
      }
      boolean atEnd = offset == segment.size();
      if (!Files.exists(SegmentFile.path(directory, number + 1))) {
        return false;
      }
      // The next segment may have been begun after the look at this one: look again.
      if (readEntry()) {
        return true;
      }
      if (!atEnd && offset != segment.size()) {
        throw new HistoryException(
            segment.path()
                + " ends within an entry at "
                + offset
                + ", and another segment follows");
      }
      openSegment(number + 1);
    }
    return false;
  }

  private boolean openSegment(int next) {
    Path path = SegmentFile.path(directory, next);
    if (!Files.exists(path)) {
      return false;
    }
    close();
    segment = SegmentFile.open(path, false);
    number = next;
    offset = 0;
    return true;
  }

  private boolean readEntry() {
    if (segment.read(offset, head, 0, Entry.BYTES) < Entry.BYTES) {
      return false;
    }
    String where = segment.path() + " at " + offset;
    Entry found = Entry.read(head, 0, where);
    // Not reused: rows handed out share the array.
    byte[] bytes = new byte[(int) Math.min(found.payloadBytes(), segment.size() - offset)];
    if (segment.read(offset + Entry.BYTES, bytes, 0, bytes.length) < found.payloadBytes()) {
      return false;
    }
    if (Entry.crc(bytes, 0, bytes.length) != found.payloadCrc()) {
      throw new HistoryException(
          where
              + ": crc32c differs: the history is damaged; restore its directory from a copy, or"
              + " delete it to begin anew");
    }
    entry = found;
    payload = bytes;
    entryAt = offset;
    offset += Entry.BYTES + found.payloadBytes();
    return true;
  }

  Entry entry() {
    return entry;
  }

  byte[] payload() {
    return payload;
  }

  /** The segment of the entry. */
  int segment() {
    return number;
  }

  /** Where the entry begins in its segment. */
  long entryAt() {
    return entryAt;
  }

  /** Where the last whole entry ends in its segment. */
  long endOffset() {
    return offset;
  }

  @Override
  public void close() {
    if (segment != null) {
      segment.close();
    }
  }
}
