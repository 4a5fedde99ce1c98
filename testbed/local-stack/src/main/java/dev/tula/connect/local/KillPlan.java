package dev.tula.connect.local;

/**
 * When a worker is to be killed: so many times, spread evenly over the run. The k-th of n is due
 * when the lake holds k/(n+1) of the ledger, and the worker has been seen at work since its start.
 * For one thread.
 */
final class KillPlan {
  private final int kills;
  private int done;

  KillPlan(int kills) {
    this.kills = kills;
  }

  /**
   * Whether a kill is due.
   *
   * @param fraction how much of the ledger the lake holds, 0 to 1
   * @param working whether a task was at work since the worker last started
   */
  boolean due(double fraction, boolean working) {
    return done < kills && working && fraction * (kills + 1) >= done + 1;
  }

  /** A kill was carried out. */
  void killed() {
    done++;
  }

  /** Kills carried out. */
  int done() {
    return done;
  }

  /** Whether all were carried out. */
  boolean complete() {
    return done == kills;
  }
}
