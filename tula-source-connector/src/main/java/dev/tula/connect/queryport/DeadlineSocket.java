package dev.tula.connect.queryport;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;

/**
 * A TCP socket whose reads all end by one deadline. Whatever is layered on top, as TLS is, reads
 * through it, so that not even a handshake or a TLS record that arrives byte by byte takes longer.
 *
 * <p>One thread reads and sets the deadline; closing is safe from any.
 */
final class DeadlineSocket extends Socket {
  private Deadline deadline = Deadline.in(0);

  /** Replaces the deadline of the reads that follow. */
  void deadline(Deadline next) {
    deadline = next;
  }

  /** Layers may set what they like; before each read it is what the deadline leaves. */
  @Override
  public InputStream getInputStream() throws IOException {
    return new FilterInputStream(super.getInputStream()) {
      @Override
      public int read() throws IOException {
        setSoTimeout(deadline.remainingMs());
        return super.read();
      }

      @Override
      public int read(byte[] into, int offset, int length) throws IOException {
        setSoTimeout(deadline.remainingMs());
        return super.read(into, offset, length);
      }
    };
  }
}
