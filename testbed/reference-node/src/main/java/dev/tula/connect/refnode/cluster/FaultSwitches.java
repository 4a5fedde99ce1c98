package dev.tula.connect.refnode.cluster;

import dev.tula.connect.model.wire.Message.ErrorReply;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What goes wrong on purpose. Each switch that counts does so in answers, and turns itself off at
 * zero. Safe for any thread.
 */
public final class FaultSwitches {
  private final AtomicInteger tornFrames = new AtomicInteger();
  private final AtomicInteger corruptFrames = new AtomicInteger();
  private final AtomicInteger failedFetches = new AtomicInteger();
  private final AtomicInteger lostAckAnswers = new AtomicInteger();
  private final AtomicInteger closedRegressions = new AtomicInteger();
  private volatile ErrorReply fetchFailure;
  private volatile long delayMs;
  private volatile boolean leasesNotDurable;
  private volatile boolean holdsReleased;
  private volatile boolean leaseTableFull;
  private volatile String leaderHint;

  /** The next {@code count} pages are cut off halfway, and the connection with them. */
  public void tearFrames(int count) {
    tornFrames.set(count);
  }

  /** One bit of each of the next {@code count} pages is wrong. */
  public void corruptFrames(int count) {
    corruptFrames.set(count);
  }

  /** The next {@code count} FETCHes are answered with this error. */
  public void failFetches(int count, ErrorReply error) {
    fetchFailure = error;
    failedFetches.set(count);
  }

  /** The next {@code count} ACKs are taken, but the connection ends before the answer. */
  public void loseAckAnswers(int count) {
    lostAckAnswers.set(count);
  }

  /** The next {@code count} pages claim a closed-through time that lies an hour back. */
  public void regressClosedThrough(int count) {
    closedRegressions.set(count);
  }

  /** Every answer waits so long; 0 ends it. */
  public void delayMs(long ms) {
    delayMs = ms;
  }

  /** Leases are held in memory alone, and pages say so. */
  public void leasesNotDurable(boolean on) {
    leasesNotDurable = on;
  }

  /** No lease holds anything, and pages say so. */
  public void holdsReleased(boolean on) {
    holdsReleased = on;
  }

  /** The lease table has no room for another. */
  public void leaseTableFull(boolean on) {
    leaseTableFull = on;
  }

  /** Nodes name this address as the leader's; empty for none, null for the true one. */
  public void leaderHint(String address) {
    leaderHint = address;
  }

  /** Turns everything off. */
  public void clear() {
    tornFrames.set(0);
    corruptFrames.set(0);
    failedFetches.set(0);
    lostAckAnswers.set(0);
    closedRegressions.set(0);
    delayMs = 0;
    leasesNotDurable = false;
    holdsReleased = false;
    leaseTableFull = false;
    leaderHint = null;
  }

  /** Whether this page is to be cut off. */
  public boolean takeTornFrame() {
    return take(tornFrames);
  }

  /** Whether a bit of this page is to be wrong. */
  public boolean takeCorruptFrame() {
    return take(corruptFrames);
  }

  /** Whether the answer to this ACK is to be lost. */
  public boolean takeLostAckAnswer() {
    return take(lostAckAnswers);
  }

  boolean takeClosedRegression() {
    return take(closedRegressions);
  }

  Optional<ErrorReply> takeFetchFailure() {
    return take(failedFetches) ? Optional.of(fetchFailure) : Optional.empty();
  }

  /** How long each answer waits, ms. */
  public long delayMs() {
    return delayMs;
  }

  /** What nodes name as the leader's address in place of the true one. */
  Optional<String> leaderHint() {
    return Optional.ofNullable(leaderHint);
  }

  boolean areLeasesNotDurable() {
    return leasesNotDurable;
  }

  boolean areHoldsReleased() {
    return holdsReleased;
  }

  boolean isLeaseTableFull() {
    return leaseTableFull;
  }

  private static boolean take(AtomicInteger left) {
    return left.getAndUpdate(count -> Math.max(0, count - 1)) > 0;
  }
}
