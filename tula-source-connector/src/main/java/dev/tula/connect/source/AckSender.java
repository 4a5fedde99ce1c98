package dev.tula.connect.source;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.model.event.CheckpointEvent;
import dev.tula.connect.model.event.ClearEvent;
import dev.tula.connect.model.event.EventIdentity;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.queryport.Clock;
import dev.tula.connect.queryport.ExportFailure;
import dev.tula.connect.queryport.FailureCode;
import dev.tula.connect.queryport.Leadership;
import dev.tula.connect.queryport.LimitedLog;
import dev.tula.connect.queryport.NodeAddress;
import dev.tula.connect.queryport.QueryPort;
import dev.tula.connect.queryport.QueryPortException;
import dev.tula.connect.queryport.QueryPortFactory;
import dev.tula.connect.queryport.RetryClassifier;
import dev.tula.connect.queryport.RetryPolicy;
import dev.tula.connect.queryport.Verdict;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acks one export partition to the leader that it is read from, over a connection of its own, so
 * that an ack never waits for a page. A failed attempt is repeated later and holds nobody up
 * meanwhile; one that fails for longer than the limit fails the task.
 *
 * <p>Belongs to the ack thread; only {@link #close} is safe from any.
 */
final class AckSender implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AckSender.class);

  private final StreamIdentity identity;
  private final String clientName;
  private final Supplier<Optional<Leadership>> leadership;
  private final QueryPortFactory factory;
  private final RetryPolicy retryPolicy;
  private final RetryClassifier classifier = new RetryClassifier(false);
  private final Clock clock;
  private final PartitionMetrics metrics;
  private final PartitionAcks acks;
  private final Random jitter = new Random();
  private final LimitedLog retryLog;
  private final Outage outage = new Outage();

  private volatile QueryPort port;
  private volatile boolean closed;
  private NodeAddress connectedTo;
  private long notBeforeMs;

  AckSender(
      SourceConfig config,
      StreamIdentity identity,
      Supplier<Optional<Leadership>> leadership,
      QueryPortFactory factory,
      Clock clock,
      PartitionMetrics metrics) {
    this.identity = identity;
    this.clientName = config.clientName(identity.partition());
    this.leadership = leadership;
    this.factory = factory;
    this.retryPolicy = config.queryPort().retryPolicy();
    this.clock = clock;
    this.metrics = metrics;
    this.acks = new PartitionAcks(EventIdentity.of(identity));
    this.notBeforeMs = clock.elapsedMs();
    this.retryLog = new LimitedLog(LOG, clock);
  }

  /** Takes a checkpoint into account. */
  void observe(CheckpointEvent event) {
    if (acks.observe(event)) {
      metrics.onCheckpoint(event.to());
    }
  }

  /** Takes a lifted halt into account. */
  void observe(ClearEvent event) {
    acks.observe(event);
  }

  /**
   * Acks, if there is something to ack and somebody to ack it to.
   *
   * @throws ExportFailure if that can't succeed any more
   */
  void ackIfDue() {
    Optional<Leadership> reading = leadership.get();
    if (closed || reading.isEmpty() || reading.get().role() != Message.Role.LEADER) {
      return;
    }
    Optional<Position> due = acks.due(reading.get());
    if (due.isPresent() && clock.elapsedMs() >= notBeforeMs) {
      attempt(reading.get(), due.get());
    }
  }

  private void attempt(Leadership leader, Position through) {
    try {
      Message.Ack ack =
          new Message.Ack(
              identity.pipeline(),
              identity.generation(),
              identity.partition(),
              identity.partitionCount(),
              through,
              leader.term());
      Message.Acked answer = connection(leader.node()).ack(ack);
      acks.acked(leader, through);
      metrics.onAcked(through, answer.creditedThrough());
      outage.over();
    } catch (QueryPortException e) {
      if (!closed) {
        failed(e);
      }
    }
  }

  private QueryPort connection(NodeAddress node) throws QueryPortException {
    QueryPort open = port;
    if (open != null && node.equals(connectedTo)) {
      return open;
    }
    disconnect();
    QueryPort fresh = factory.create();
    port = fresh;
    if (closed) {
      fresh.close();
    }
    fresh.open(node, clientName, Optional.of(identity.clusterId()));
    connectedTo = node;
    return fresh;
  }

  private void failed(QueryPortException error) {
    disconnect();
    Verdict verdict = classifier.classify(error);
    if (verdict instanceof Verdict.Fail fail) {
      throw fail.failure();
    }
    metrics.onAckError();
    retryLog.warn(clientName + " could not ack and tries again: " + error.getMessage());
    long nowMs = clock.elapsedMs();
    giveUpIfTooLong(verdict, outage.failed(nowMs), error);
    notBeforeMs = nowMs + retryPolicy.backoffMs(outage.repeats(), jitter);
  }

  private void giveUpIfTooLong(Verdict verdict, long failingMs, QueryPortException error) {
    if (verdict instanceof Verdict.AwaitLease lease) {
      if (failingMs >= retryPolicy.indexTakenTimeoutMs()) {
        throw lease.otherwise();
      }
    } else if (failingMs >= retryPolicy.timeoutMs()) {
      throw new ExportFailure(
          FailureCode.UNAVAILABLE,
          "pipeline "
              + identity.pipeline()
              + ", partition "
              + identity.partition()
              + ", could not ack for "
              + failingMs
              + " ms, so the engine keeps its history for it; the last attempt: "
              + error.getMessage(),
          error);
    }
  }

  private void disconnect() {
    QueryPort open = port;
    port = null;
    connectedTo = null;
    if (open != null) {
      open.close();
    }
  }

  /** Ends an attempt that is under way, and refuses further ones. */
  @Override
  public void close() {
    closed = true;
    QueryPort open = port;
    if (open != null) {
      open.close();
    }
  }
}
