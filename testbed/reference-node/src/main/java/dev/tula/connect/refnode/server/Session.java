package dev.tula.connect.refnode.server;

import dev.tula.connect.model.wire.ErrorCode;
import dev.tula.connect.model.wire.Frame;
import dev.tula.connect.model.wire.FrameCodec;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.model.wire.Message.Ack;
import dev.tula.connect.model.wire.Message.ErrorReply;
import dev.tula.connect.model.wire.Message.Fetch;
import dev.tula.connect.model.wire.Message.Hello;
import dev.tula.connect.model.wire.Message.State;
import dev.tula.connect.model.wire.Message.Status;
import dev.tula.connect.model.wire.Message.Welcome;
import dev.tula.connect.model.wire.ProtocolException;
import dev.tula.connect.refnode.cluster.Cluster;
import dev.tula.connect.refnode.cluster.QueryPortException;
import dev.tula.connect.refnode.engine.LedgerEngine;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection: HELLO, then requests. The connection's own thread answers everything but FETCH,
 * which waits on a thread of its own, so that an ACK is never stuck behind a long poll.
 */
final class Session implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Session.class);
  private static final int QUEUE_RETRY_MS = 100;
  private static final int POLL_MS = 1000;
  private static final int MAX_CLIENT_NAME = 255;

  private final Cluster cluster;
  private final int node;
  private final ServerLimits limits;
  private final FrameChannel channel;
  private final boolean exporter;
  private final ArrayBlockingQueue<Frame> fetches;
  private final AtomicInteger fetchesInFlight = new AtomicInteger();
  private final Object delay = new Object();
  private Thread fetcher;
  private volatile Cluster.ReadContext context;
  private String client = "";
  private volatile boolean closed;

  Session(Cluster cluster, int node, ServerLimits limits, FrameChannel channel, boolean exporter) {
    this.cluster = cluster;
    this.node = node;
    this.limits = limits;
    this.channel = channel;
    this.exporter = exporter;
    this.fetches = new ArrayBlockingQueue<>(limits.maxFetchesInFlight());
  }

  @Override
  public void run() {
    try {
      serve();
    } catch (ProtocolException e) {
      LOG.info("{} breaks the protocol and is cut off: {}", client, e.getMessage());
      answerLast(ErrorReply.of(ErrorCode.ERR_PROTOCOL, 0, shortened(e.getMessage())));
    } catch (IOException e) {
      LOG.debug("connection of {} ended: {}", client, e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      close();
    }
  }

  private void serve() throws IOException, InterruptedException {
    while (!closed) {
      Frame frame = read();
      if (frame == null) {
        return;
      }
      if (context == null) {
        if (!(frame.message() instanceof Hello hello)) {
          throw new ProtocolException("the first message must be HELLO");
        }
        if (!greet(frame.correlation(), hello)) {
          return;
        }
      } else if (frame.message() instanceof Fetch) {
        enqueue(frame);
      } else if (!answer(frame)) {
        return;
      }
    }
  }

  /** A time-out ends the connection only if no FETCH keeps it busy. */
  private Frame read() throws IOException {
    while (true) {
      try {
        return channel.read();
      } catch (SocketTimeoutException e) {
        if (fetchesInFlight.get() == 0) {
          throw e;
        }
      }
    }
  }

  private boolean greet(long correlation, Hello hello) throws IOException, InterruptedException {
    Optional<ErrorReply> refusal = refusal(hello);
    if (refusal.isPresent()) {
      send(correlation, refusal.get());
      return false;
    }
    client = hello.clientName();
    int maxFrame = Math.min(hello.maxFrameBytes(), limits.maxFrameBytes());
    Cluster.Standing standing = cluster.standing(node);
    send(
        correlation,
        new Welcome(
            Message.VERSION,
            cluster.clusterId(),
            standing.nodeId(),
            standing.role(),
            standing.term(),
            standing.leaderAddress(),
            standing.head(),
            maxFrame,
            LedgerEngine.MAX_BATCH_RECORDS,
            standing.clockMicros()));
    channel.codec(new FrameCodec(maxFrame));
    context = cluster.readContext(client, maxFrame);
    return true;
  }

  private Optional<ErrorReply> refusal(Hello hello) {
    if (hello.minVersion() > Message.VERSION || hello.maxVersion() < Message.VERSION) {
      return refusal(
          ErrorCode.ERR_VERSION,
          "this node speaks version "
              + Message.VERSION
              + ", the client "
              + hello.minVersion()
              + " to "
              + hello.maxVersion());
    }
    String expected = hello.expectedClusterId().orElse(cluster.clusterId());
    if (!expected.equals(cluster.clusterId())) {
      return refusal(
          ErrorCode.ERR_CLUSTER_MISMATCH,
          "this is cluster " + cluster.clusterId() + ", not " + expected);
    }
    if (hello.maxFrameBytes() < ServerLimits.MIN_MAX_FRAME_BYTES) {
      return refusal(
          ErrorCode.ERR_BAD_REQUEST,
          "a maximum frame of "
              + hello.maxFrameBytes()
              + " bytes is below "
              + ServerLimits.MIN_MAX_FRAME_BYTES);
    }
    if (hello.clientName().isEmpty() || hello.clientName().length() > MAX_CLIENT_NAME) {
      return refusal(
          ErrorCode.ERR_BAD_REQUEST,
          "a client needs a name of 1 to " + MAX_CLIENT_NAME + " characters");
    }
    return Optional.empty();
  }

  private static Optional<ErrorReply> refusal(ErrorCode code, String message) {
    return Optional.of(ErrorReply.of(code, 0, message));
  }

  private void enqueue(Frame frame) throws IOException, InterruptedException {
    if (!exporter) {
      send(frame.correlation(), unauthorized());
      return;
    }
    if (fetchesInFlight.incrementAndGet() > limits.maxFetchesInFlight()) {
      fetchesInFlight.decrementAndGet();
      send(
          frame.correlation(),
          QueryPortException.busy("too many FETCHes in flight", QUEUE_RETRY_MS).reply());
      return;
    }
    if (fetcher == null) {
      fetcher = new Thread(this::serveFetches, Thread.currentThread().getName() + "-fetch");
      fetcher.setDaemon(true);
      fetcher.start();
    }
    fetches.add(frame);
  }

  private void serveFetches() {
    try {
      while (!closed) {
        Frame frame = fetches.poll(POLL_MS, TimeUnit.MILLISECONDS);
        if (frame != null) {
          Message answer = fetch((Fetch) frame.message());
          fetchesInFlight.decrementAndGet();
          send(frame.correlation(), answer);
        }
      }
    } catch (IOException e) {
      LOG.debug("connection of {} ended: {}", client, e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      cluster.noteFailure();
      LOG.error("FETCH of {} failed", client, e);
    } finally {
      close();
    }
  }

  private Message fetch(Fetch fetch) throws InterruptedException {
    try {
      return cluster.fetch(node, context, fetch);
    } catch (QueryPortException e) {
      return e.reply();
    }
  }

  /** Answers anything but FETCH; false if the connection ends with it. */
  private boolean answer(Frame frame) throws IOException, InterruptedException {
    Message answer;
    try {
      answer = answer(frame.message());
    } catch (QueryPortException e) {
      answer = e.reply();
    }
    if (answer instanceof Message.Acked && cluster.faults().takeLostAckAnswer()) {
      return false;
    }
    send(frame.correlation(), answer);
    return true;
  }

  private Message answer(Message request) {
    if (request instanceof Status) {
      return cluster.status(node);
    }
    if (request instanceof Ack ack) {
      return exporter ? cluster.ack(node, client, ack) : unauthorized();
    }
    if (request instanceof State state) {
      return exporter ? cluster.state(node, context, state) : unauthorized();
    }
    throw new ProtocolException(request.getClass().getSimpleName() + " is no request in a session");
  }

  private static ErrorReply unauthorized() {
    return ErrorReply.of(
        ErrorCode.ERR_UNAUTHORIZED, 0, "the client's certificate lacks the exporter role");
  }

  private void send(long correlation, Message message) throws IOException, InterruptedException {
    long delayMs = cluster.faults().delayMs();
    if (delayMs > 0) {
      synchronized (delay) {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(delayMs);
        long left = delayMs;
        while (left > 0 && !closed) {
          delay.wait(left);
          left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
        }
      }
    }
    channel.write(correlation, message);
  }

  private void answerLast(ErrorReply error) {
    try {
      channel.write(0, error);
    } catch (IOException e) {
      LOG.debug("{} did not wait for its error: {}", client, e.getMessage());
    }
  }

  private static String shortened(String message) {
    return message.length() <= 500 ? message : message.substring(0, 500);
  }

  void closeIfHangs() throws IOException {
    channel.closeIfHangs(limits);
  }

  /** Ends the connection; its threads follow. Idempotent. */
  void close() {
    closed = true;
    synchronized (delay) {
      delay.notifyAll();
    }
    Cluster.ReadContext opened = context;
    if (opened != null) {
      opened.close();
    }
    try {
      channel.close();
    } catch (IOException e) {
      LOG.debug("connection of {} did not close: {}", client, e.getMessage());
    }
  }
}
