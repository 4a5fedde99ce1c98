package dev.tula.connect.sink.fencing;

import java.util.Objects;

/**
 * What a store holds of a lease. No clock is in it: who waits for a lease to run out watches, on
 * its own clock, that {@code renewals} stands still for {@code ttlMs}.
 *
 * @param owner who holds it
 * @param renewals rises with each renewal, whoever makes it
 * @param ttlMs how long it lasts from each renewal on; 0 once it was given up
 */
record LeaseRecord(String owner, long renewals, long ttlMs) {
  LeaseRecord {
    Objects.requireNonNull(owner, "owner");
    if (renewals < 1 || ttlMs < 0) {
      throw new IllegalArgumentException("no lease: " + renewals + " renewals, " + ttlMs + " ms");
    }
  }

  boolean isGivenUp() {
    return ttlMs == 0;
  }

  LeaseRecord heldBy(String other, long lastsMs) {
    return new LeaseRecord(other, renewals + 1, lastsMs);
  }
}
