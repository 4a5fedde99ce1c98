package dev.tula.connect.sink;

import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;

/** Holds what a writer tells of itself. Written by the writer's thread, read by any. */
final class SinkMetrics implements SinkPartitionMXBean {
  private static final double NANOS = 1e9;
  private static final double MICROS = 1e6;

  private final String instanceId = UUID.randomUUID().toString();
  private final InstantSource clock;
  private final LongAdder rows = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private final LongAdder commits = new LongAdder();
  private final LongAdder commitNanos = new LongAdder();
  private final LongAdder conflicts = new LongAdder();
  private final LongAdder unknowns = new LongAdder();
  private final LongAdder falseFailures = new LongAdder();
  private final LongAdder withheldDeletes = new LongAdder();
  private final LongAdder errors = new LongAdder();
  private final LongAdder cutsForMemory = new LongAdder();
  private final LongAdder haltChecks = new LongAdder();
  private final LongAdder leasesLost = new LongAdder();
  private final LongAdder leaseRenewalErrors = new LongAdder();

  private volatile boolean running;
  private volatile boolean halted;
  private volatile boolean fencing;
  private volatile String phase = "Opening";
  private volatile String standby = "";
  private volatile String lastError = "";
  private volatile long lastSuccessUnix;
  private volatile long committedGlobalBatchSeq;
  private volatile long decodedGlobalBatchSeq;
  private volatile long committedOffset = -1;
  private volatile long lakeRows;
  private volatile long closedThroughMicros;
  private volatile long lastCommitNanos;
  private volatile long replayedRows;
  private volatile long openRows;
  private volatile long queuedBytes;
  private volatile long writerEpoch;
  private volatile long memoryBytes;
  private volatile long memoryMaxBytes;
  private volatile long memoryReached;

  SinkMetrics(InstantSource clock) {
    this.clock = clock;
    this.lastSuccessUnix = clock.instant().getEpochSecond();
  }

  void phase(String name, boolean nowRunning) {
    phase = name;
    running = nowRunning;
  }

  void halted(boolean inForce) {
    halted = inForce;
  }

  void haltChecked() {
    haltChecks.increment();
  }

  void fencing(boolean leaseHeld) {
    fencing = leaseHeld;
    standby = "";
  }

  /** It waits for a lease that another holds, which is no failure. */
  void standby(String why) {
    standby = why;
  }

  /** How often a renewal failed since it was told last. */
  void leaseRenewalErrors(long failed) {
    leaseRenewalErrors.add(failed);
  }

  void leaseLost() {
    fencing = false;
    leasesLost.increment();
  }

  void error(String message) {
    errors.increment();
    failed(message);
  }

  void failed(String message) {
    lastError = message;
    standby = "";
  }

  void conflict() {
    conflicts.increment();
  }

  /** Nobody knows what became of a commit. */
  void commitUnknown(String cause) {
    unknowns.increment();
    error(cause);
  }

  /** What commits turned out otherwise than they were reported, since it was told last. */
  void misreported(long landedAsFailed, long deletes) {
    falseFailures.add(landedAsFailed);
    withheldDeletes.add(deletes);
  }

  void epoch(long epoch) {
    writerEpoch = epoch;
  }

  void watermark(long globalBatchSeq, long offset, long rowsInLake, long closedThrough) {
    committedGlobalBatchSeq = globalBatchSeq;
    committedOffset = offset;
    lakeRows = rowsInLake;
    closedThroughMicros = closedThrough;
  }

  void committed(long committedRows, long committedBytes, long nanos) {
    rows.add(committedRows);
    bytes.add(committedBytes);
    commits.increment();
    commitNanos.add(nanos);
    lastCommitNanos = nanos;
    lastSuccessUnix = clock.instant().getEpochSecond();
  }

  void memory(long used, long max, long reached) {
    memoryBytes = used;
    memoryMaxBytes = max;
    memoryReached = reached;
  }

  void cutForMemory() {
    cutsForMemory.increment();
  }

  void reading(long decoded, long open, long queued, long replayed) {
    decodedGlobalBatchSeq = decoded;
    openRows = open;
    queuedBytes = queued;
    replayedRows = replayed;
  }

  @Override
  public String getInstanceId() {
    return instanceId;
  }

  @Override
  public int getUp() {
    return 1;
  }

  @Override
  public int getRunning() {
    return running ? 1 : 0;
  }

  @Override
  public int getHalted() {
    return halted ? 1 : 0;
  }

  @Override
  public long getHaltChecksTotal() {
    return haltChecks.sum();
  }

  @Override
  public int getFencingActive() {
    return fencing ? 1 : 0;
  }

  @Override
  public int getFencingStandby() {
    return standby.isEmpty() ? 0 : 1;
  }

  @Override
  public long getFencingLostTotal() {
    return leasesLost.sum();
  }

  @Override
  public long getFencingRenewalErrorsTotal() {
    return leaseRenewalErrors.sum();
  }

  @Override
  public String getPhase() {
    String waiting = standby;
    return waiting.isEmpty() ? phase : "Standby: " + waiting;
  }

  @Override
  public String getLastError() {
    return lastError;
  }

  @Override
  public long getLastSuccessUnix() {
    return lastSuccessUnix;
  }

  @Override
  public long getCommittedGlobalBatchSeq() {
    return committedGlobalBatchSeq;
  }

  @Override
  public long getDecodedGlobalBatchSeq() {
    return decodedGlobalBatchSeq;
  }

  @Override
  public long getCommittedOffset() {
    return committedOffset;
  }

  @Override
  public long getRowsTotal() {
    return rows.sum();
  }

  @Override
  public long getLakeRows() {
    return lakeRows;
  }

  @Override
  public long getBytesTotal() {
    return bytes.sum();
  }

  @Override
  public long getCommitsTotal() {
    return commits.sum();
  }

  @Override
  public double getCommitSecondsTotal() {
    return commitNanos.sum() / NANOS;
  }

  @Override
  public double getLastCommitSeconds() {
    return lastCommitNanos / NANOS;
  }

  @Override
  public long getCommitConflictsTotal() {
    return conflicts.sum();
  }

  @Override
  public long getCommitsUnknownTotal() {
    return unknowns.sum();
  }

  @Override
  public long getCommitFalseFailuresTotal() {
    return falseFailures.sum();
  }

  @Override
  public long getWithheldDeletesTotal() {
    return withheldDeletes.sum();
  }

  @Override
  public long getErrorsTotal() {
    return errors.sum();
  }

  @Override
  public long getReplayedRowsTotal() {
    return replayedRows;
  }

  @Override
  public long getOpenRows() {
    return openRows;
  }

  @Override
  public long getQueuedBytes() {
    return queuedBytes;
  }

  @Override
  public long getMemoryBytes() {
    return memoryBytes;
  }

  @Override
  public long getMemoryMaxBytes() {
    return memoryMaxBytes;
  }

  @Override
  public long getMemoryReachedTotal() {
    return memoryReached;
  }

  @Override
  public long getCutsForMemoryTotal() {
    return cutsForMemory.sum();
  }

  @Override
  public double getExportLagSeconds() {
    if (closedThroughMicros == 0) {
      return 0;
    }
    return Math.max(0, clock.millis() / 1e3 - closedThroughMicros / MICROS);
  }

  @Override
  public long getWriterEpoch() {
    return writerEpoch;
  }
}
