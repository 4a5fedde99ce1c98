package dev.tula.connect.refnode.history;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * One segment file, read and written by position. Safe for any thread, as long as one at a time
 * writes. A thread that is interrupted while it reads closes the channel under all others, so a
 * closed channel is opened again unless this was closed itself.
 */
final class SegmentFile implements Closeable {
  private static final String NAME = "segment-%06d.tlog";

  private final Path path;
  private final boolean writable;
  private FileChannel channel;
  private boolean closed;

  private SegmentFile(Path path, boolean writable) throws IOException {
    this.path = path;
    this.writable = writable;
    this.channel = openChannel();
  }

  static Path path(Path directory, int number) {
    return directory.resolve(String.format(NAME, number));
  }

  static SegmentFile open(Path path, boolean writable) {
    try {
      return new SegmentFile(path, writable);
    } catch (IOException e) {
      throw new HistoryException(path + " can't be opened: " + e.getMessage(), e);
    }
  }

  private FileChannel openChannel() throws IOException {
    return writable
        ? FileChannel.open(
            path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)
        : FileChannel.open(path, StandardOpenOption.READ);
  }

  Path path() {
    return path;
  }

  long size() {
    try {
      return channel().size();
    } catch (IOException e) {
      throw new HistoryException(path + " can't be read: " + e.getMessage(), e);
    }
  }

  /** Reads as many bytes as there are, {@code length} at most; returns how many. */
  int read(long position, byte[] into, int at, int length) {
    ByteBuffer buffer = ByteBuffer.wrap(into, at, length);
    try {
      while (buffer.hasRemaining()) {
        if (channel().read(buffer, position + buffer.position() - at) < 0) {
          break;
        }
      }
    } catch (IOException e) {
      throw new HistoryException(path + " can't be read at " + position + ": " + e.getMessage(), e);
    }
    return buffer.position() - at;
  }

  /** Reads exactly that many bytes. */
  void readFully(long position, byte[] into, int at, int length) {
    if (read(position, into, at, length) < length) {
      throw new HistoryException(
          path + " ends before " + (position + length), new EOFException(path.toString()));
    }
  }

  void write(long position, byte[] from, int length) {
    ByteBuffer buffer = ByteBuffer.wrap(from, 0, length);
    try {
      while (buffer.hasRemaining()) {
        channel().write(buffer, position + buffer.position());
      }
    } catch (IOException e) {
      throw new HistoryException(
          path + " can't be written at " + position + ": " + e.getMessage(), e);
    }
  }

  void truncate(long size) {
    try {
      channel().truncate(size);
    } catch (IOException e) {
      throw new HistoryException(path + " can't be cut to " + size + ": " + e.getMessage(), e);
    }
  }

  private synchronized FileChannel channel() throws IOException {
    if (closed) {
      throw new ClosedChannelException();
    }
    if (!channel.isOpen()) {
      channel = openChannel();
    }
    return channel;
  }

  @Override
  public synchronized void close() {
    closed = true;
    try {
      channel.close();
    } catch (IOException e) {
      throw new HistoryException(path + " can't be closed: " + e.getMessage(), e);
    }
  }
}
