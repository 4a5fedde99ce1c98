package dev.tula.connect.refnode.server;

import dev.tula.connect.model.wire.Frame;
import dev.tula.connect.model.wire.FrameCodec;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.refnode.cluster.FaultSwitches;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;

/**
 * Frames over one socket. One thread reads; any thread writes, one frame at a time. A write that
 * hangs, and a frame that never comes to its end, are ended from outside, by {@link #closeIfHangs}.
 */
final class FrameChannel implements Closeable {
  private final Socket socket;
  private final DataInputStream in;
  private final OutputStream out;
  private final FaultSwitches faults;
  private final Object writeLock = new Object();
  private volatile FrameCodec codec;
  private final Stopwatch writing = new Stopwatch();
  private final Stopwatch reading = new Stopwatch();

  FrameChannel(Socket socket, FrameCodec codec, FaultSwitches faults) throws IOException {
    this.socket = socket;
    this.codec = codec;
    this.faults = faults;
    this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 13));
    this.out = socket.getOutputStream();
  }

  /** What both sides agreed upon. */
  void codec(FrameCodec agreed) {
    codec = agreed;
  }

  FrameCodec codec() {
    return codec;
  }

  /**
   * The next frame. What it claims to be long is taken up only as it comes.
   *
   * @return null where the peer closed between two frames
   * @throws SocketTimeoutException if no frame began within the socket's time-out
   * @throws dev.tula.connect.model.wire.ProtocolException if the bytes are no frame
   */
  Frame read() throws IOException {
    int first = in.read();
    if (first < 0) {
      return null;
    }
    reading.begin();
    try {
      int prefix = first << 24 | in.readUnsignedByte() << 16 | in.readUnsignedShort();
      int length = codec.checkedLength(prefix);
      byte[] body = in.readNBytes(length);
      if (body.length < length) {
        throw new EOFException("the peer closed within a frame");
      }
      return codec.decode(body, 0, length);
    } catch (SocketTimeoutException e) {
      throw new IOException("the peer stopped within a frame", e);
    } finally {
      reading.end();
    }
  }

  void write(long correlation, Message message) throws IOException {
    byte[] frame = codec.encode(correlation, message);
    boolean page = message instanceof Message.Page;
    boolean torn = page && faults.takeTornFrame();
    if (page && faults.takeCorruptFrame()) {
      frame[frame.length / 2] ^= 0x10;
    }
    synchronized (writeLock) {
      writing.begin();
      try {
        out.write(frame, 0, torn ? frame.length / 2 : frame.length);
        out.flush();
      } finally {
        writing.end();
      }
    }
    if (torn) {
      close();
    }
  }

  /** Closes the socket if a write, or a frame that has begun to come, takes longer than allowed. */
  void closeIfHangs(ServerLimits limits) throws IOException {
    if (writing.exceeds(limits.writeTimeoutMs()) || reading.exceeds(limits.frameTimeoutMs())) {
      close();
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
