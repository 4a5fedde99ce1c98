package dev.tula.connect.local;

import java.time.Duration;

/**
 * The one time in a run that the catalog's server is away: it is killed once rows are in the lake,
 * and started again after its time. For one thread.
 */
final class CatalogOutage {
  private final LakeHost lakeHost;
  private final Duration length;
  private long sinceNanos;
  private boolean begun;
  private boolean ended;

  /**
   * @param lakeHost the catalog is the last of its processes
   * @param length how long; zero for no outage at all
   */
  CatalogOutage(LakeHost lakeHost, Duration length) {
    this.lakeHost = lakeHost;
    this.length = length;
    this.ended = length.isZero();
  }

  /** Begins or ends it if it is time to. Returns whether it did either. */
  boolean step(long lakeRows) {
    if (ended) {
      return false;
    }
    int catalog = lakeHost.processes().size() - 1;
    if (!begun && lakeRows > 0) {
      lakeHost.kill(catalog);
      sinceNanos = System.nanoTime();
      begun = true;
      return true;
    }
    if (begun && System.nanoTime() - sinceNanos >= length.toNanos()) {
      lakeHost.startAgain(catalog);
      ended = true;
      return true;
    }
    return false;
  }

  /** Whether the catalog is away now. */
  boolean isUnderWay() {
    return begun && !ended;
  }

  /** Whether none is to come any more. */
  boolean isOver() {
    return ended;
  }
}
