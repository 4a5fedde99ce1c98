package dev.tula.connect.refnode.workload;

import dev.tula.connect.refnode.engine.TransferRequest;

/** The last requests that left a record, for repeating one. Not thread-safe. */
final class RecentRequests {
  private static final int CAPACITY = 1024;

  private final TransferRequest[] ring = new TransferRequest[CAPACITY];
  private long added;

  void add(TransferRequest request) {
    ring[(int) (added++ % CAPACITY)] = request;
  }

  boolean isEmpty() {
    return added == 0;
  }

  TransferRequest pick(Rng rng) {
    return ring[rng.below((int) Math.min(added, CAPACITY))];
  }
}
