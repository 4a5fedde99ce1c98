package dev.tula.connect.source;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.wire.ErrorCode;
import dev.tula.connect.model.wire.Message;
import dev.tula.connect.model.wire.ProtocolException;
import dev.tula.connect.queryport.ClientObserver;
import dev.tula.connect.queryport.Clock;
import dev.tula.connect.queryport.ErrorReplyException;
import dev.tula.connect.queryport.ExportFailure;
import dev.tula.connect.queryport.FailureCode;
import dev.tula.connect.queryport.Leadership;
import dev.tula.connect.queryport.NodeAddress;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Counts what one export partition goes through. Its fetch thread and the ack thread write, any
 * thread reads.
 */
final class PartitionMetrics implements SourceTaskMXBean, ClientObserver {
  private static final int GROUP_NOT_NEEDED = 0;
  private static final int GROUP_COMPLETE = 1;
  private static final int GROUP_INCOMPLETE = 2;
  private static final int GROUP_IMPOSSIBLE = 3;
  private static final double MS_PER_SECOND = 1_000.0;
  private static final long MICROS_PER_MS = 1_000;

  private final String instanceId = UUID.randomUUID().toString();
  private final Clock clock;
  private final LongSupplier queueBytes;
  private final boolean leaseWanted;
  private final boolean grouped;

  private final LongAdder rows = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private final LongAdder pages = new LongAdder();
  private final LongAdder errors = new LongAdder();
  private final LongAdder failuresClosed = new LongAdder();
  private final LongAdder reclaimed = new LongAdder();
  private final LongAdder leaseNotDurable = new LongAdder();
  private final LongAdder noLease = new LongAdder();
  private final LongAdder holdReleased = new LongAdder();
  private final LongAdder groupConflicts = new LongAdder();
  private final LongAdder acks = new LongAdder();
  private final LongAdder ackErrors = new LongAdder();
  private final LongAdder malformedCheckpoints = new LongAdder();
  private final LongAdder connections = new LongAdder();
  private final LongAdder retries = new LongAdder();
  private final LongAdder protocolErrors = new LongAdder();
  private final LongAdder probes = new LongAdder();
  private final LongAdder probesNewerTerm = new LongAdder();
  private final LongAdder probesFailed = new LongAdder();

  private volatile boolean up = true;
  private volatile boolean running;
  private volatile long lastSuccessMs;
  private volatile long fetchedBatch;
  private volatile long headBatch;
  private volatile long floorBatch;
  private volatile long closedThroughMs;
  private volatile long gapBatches;
  private volatile long regressions;
  private volatile boolean detached;
  private volatile int groupStatus;
  private volatile int membersPresent;
  private volatile long checkpointBatch;
  private volatile long ackedBatch;
  private volatile long creditedBatch;
  private volatile boolean topicMissing;
  private volatile String leader = "";
  private volatile long term;

  PartitionMetrics(SourceConfig config, LongSupplier queueBytes, Clock clock) {
    this.clock = clock;
    this.queueBytes = queueBytes;
    this.leaseWanted = config.lease();
    this.grouped = config.group();
    boolean needed = config.partitionCount() > 1;
    this.groupStatus = !needed ? GROUP_NOT_NEEDED : grouped ? GROUP_INCOMPLETE : GROUP_IMPOSSIBLE;
  }

  void running(boolean now) {
    running = now;
  }

  void down() {
    running = false;
    up = false;
  }

  /** A page came; what is proven of the stream follows with {@link #fetchedTo}. */
  void onPage(Message.Page page) {
    pages.increment();
    lastSuccessMs = clock.epochMs();
    headBatch = page.head().globalBatchSeq();
    floorBatch = page.reclaimFloor().globalBatchSeq();
    onFlags(page.flags());
    if (grouped) {
      membersPresent = page.group().membersPresent();
      groupStatus = groupStatus(page.group());
    }
  }

  /** An engine whose leases are off forms no group, whatever is asked for. */
  private static int groupStatus(Message.GroupStatus group) {
    if (group.count() == 0) {
      return GROUP_IMPOSSIBLE;
    }
    return group.membersPresent() >= group.count() ? GROUP_COMPLETE : GROUP_INCOMPLETE;
  }

  private void onFlags(Message.PageFlags flags) {
    if (flags.leaseNotDurable()) {
      leaseNotDurable.increment();
    }
    if (flags.noLease()) {
      noLease.increment();
    }
    if (flags.exportHoldReleased()) {
      holdReleased.increment();
    }
    detached = leaseWanted && (flags.noLease() || flags.exportHoldReleased());
  }

  void fetchedTo(Position proven, long closedThroughMicros, long regressionsSoFar) {
    fetchedBatch = proven.globalBatchSeq();
    closedThroughMs = Math.floorDiv(closedThroughMicros, MICROS_PER_MS);
    regressions = regressionsSoFar;
  }

  void onRows(long count, long rowBytes) {
    rows.add(count);
    bytes.add(rowBytes);
  }

  void onLeadership(Leadership leadership) {
    term = leadership.term();
    leader = leadership.node().toString();
  }

  void onFailure(Throwable failure) {
    errors.increment();
    failuresClosed.increment();
    if (failure instanceof ExportFailure export) {
      if (export.code() == FailureCode.RANGE_RECLAIMED) {
        reclaimed.increment();
        export
            .missing()
            .ifPresent(
                range -> gapBatches = range.to().globalBatchSeq() - range.from().globalBatchSeq());
      }
      noteConflict(export.getCause());
    }
  }

  private void noteConflict(Throwable error) {
    if (error instanceof ErrorReplyException reply
        && reply.reply().code() == ErrorCode.ERR_EXPORT_GROUP_CONFLICT) {
      groupConflicts.increment();
    }
  }

  @Override
  public void onRetry(Exception error) {
    errors.increment();
    retries.increment();
    noteConflict(error);
    if (error.getCause() instanceof ProtocolException
        || error instanceof ErrorReplyException reply
            && reply.reply().code() == ErrorCode.ERR_PROTOCOL) {
      protocolErrors.increment();
    }
  }

  @Override
  public void onConnected(NodeAddress node) {
    connections.increment();
  }

  @Override
  public void onProbe(ProbeOutcome outcome) {
    probes.increment();
    if (outcome == ProbeOutcome.NEWER_TERM) {
      probesNewerTerm.increment();
    } else if (outcome == ProbeOutcome.FAILED) {
      probesFailed.increment();
    }
  }

  void onCheckpoint(Position position) {
    checkpointBatch = position.globalBatchSeq();
  }

  void onAcked(Position through, Position credited) {
    acks.increment();
    ackedBatch = through.globalBatchSeq();
    creditedBatch = credited.globalBatchSeq();
  }

  void onAckError() {
    errors.increment();
    ackErrors.increment();
  }

  void checkpointsTopicMissing(boolean missing) {
    topicMissing = missing;
  }

  void onMalformedCheckpoint() {
    malformedCheckpoints.increment();
  }

  @Override
  public String getInstanceId() {
    return instanceId;
  }

  @Override
  public int getUp() {
    return up ? 1 : 0;
  }

  @Override
  public int getRunning() {
    return running ? 1 : 0;
  }

  @Override
  public long getLastSuccessUnix() {
    return lastSuccessMs / (long) MS_PER_SECOND;
  }

  @Override
  public long getExportErrorsTotal() {
    return errors.sum();
  }

  @Override
  public long getExportFailClosedTotal() {
    return failuresClosed.sum();
  }

  @Override
  public long getRowsTotal() {
    return rows.sum();
  }

  @Override
  public long getBytesTotal() {
    return bytes.sum();
  }

  @Override
  public long getPagesTotal() {
    return pages.sum();
  }

  @Override
  public long getFetchedGlobalBatchSeq() {
    return fetchedBatch;
  }

  @Override
  public long getHeadGlobalBatchSeq() {
    return headBatch;
  }

  @Override
  public long getExportLagBatches() {
    return Math.max(0, headBatch - fetchedBatch);
  }

  @Override
  public double getExportLagSeconds() {
    if (headBatch <= fetchedBatch || closedThroughMs == 0) {
      return 0;
    }
    return Math.max(0, clock.epochMs() - closedThroughMs) / MS_PER_SECOND;
  }

  @Override
  public long getExportHeadroomBatches() {
    return Math.max(0, fetchedBatch - floorBatch);
  }

  @Override
  public long getExportRangeReclaimedTotal() {
    return reclaimed.sum();
  }

  @Override
  public long getExportGapBatches() {
    return gapBatches;
  }

  @Override
  public long getClosedThroughRegressionsTotal() {
    return regressions;
  }

  @Override
  public long getQueueBytes() {
    return queueBytes.getAsLong();
  }

  @Override
  public long getExportLeaseNotDurableTotal() {
    return leaseNotDurable.sum();
  }

  @Override
  public long getExportNoLeaseTotal() {
    return noLease.sum();
  }

  @Override
  public long getExportHoldReleasedTotal() {
    return holdReleased.sum();
  }

  @Override
  public int getExportCursorDetached() {
    return detached ? 1 : 0;
  }

  @Override
  public int getPartitionGroupStatus() {
    return groupStatus;
  }

  @Override
  public int getPartitionGroupMembersPresent() {
    return membersPresent;
  }

  @Override
  public long getPartitionGroupConflictsTotal() {
    return groupConflicts.sum();
  }

  @Override
  public long getCheckpointGlobalBatchSeq() {
    return checkpointBatch;
  }

  @Override
  public long getAckedGlobalBatchSeq() {
    return ackedBatch;
  }

  @Override
  public long getCreditedGlobalBatchSeq() {
    return creditedBatch;
  }

  @Override
  public long getAcksTotal() {
    return acks.sum();
  }

  @Override
  public long getAckErrorsTotal() {
    return ackErrors.sum();
  }

  @Override
  public int getCheckpointsTopicMissing() {
    return topicMissing ? 1 : 0;
  }

  @Override
  public long getMalformedCheckpointsTotal() {
    return malformedCheckpoints.sum();
  }

  @Override
  public String getLeader() {
    return leader;
  }

  @Override
  public long getTerm() {
    return term;
  }

  @Override
  public long getConnectionsTotal() {
    return connections.sum();
  }

  @Override
  public long getRetriesTotal() {
    return retries.sum();
  }

  @Override
  public long getProtocolErrorsTotal() {
    return protocolErrors.sum();
  }

  @Override
  public long getLeaderProbesTotal() {
    return probes.sum();
  }

  @Override
  public long getLeaderProbesNewerTermTotal() {
    return probesNewerTerm.sum();
  }

  @Override
  public long getLeaderProbesFailedTotal() {
    return probesFailed.sum();
  }
}
