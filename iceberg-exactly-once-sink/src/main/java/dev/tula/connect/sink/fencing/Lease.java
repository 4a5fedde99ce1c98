package dev.tula.connect.sink.fencing;

import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * One writer's hold on one lease. It decides by elapsed time alone, on this machine's monotonic
 * clock, so that clocks which disagree do no harm: the holder counts from before it asked for a
 * renewal, who waits counts from after it saw one, and so the holder gives up first.
 *
 * <p>Once lost it is never held again. {@link #isHeld} may be asked by any thread; all else belongs
 * to one.
 */
final class Lease {
  private final LeaseStore store;
  private final String name;
  private final String owner;
  private final long ttlMs;
  private final LongSupplier elapsedMs;

  private Optional<LeaseRecord> seen = Optional.empty();
  private long seenAtMs;
  private LeaseRecord own;
  private volatile boolean taken;
  private volatile boolean lost;
  private volatile long heldUntilMs;

  /**
   * @param name what the lease is for
   * @param owner of all who ever ask, nobody else goes by this
   * @param ttlMs how long it lasts without a renewal
   * @param elapsedMs a clock that only ever moves on, through pauses of the process too
   */
  Lease(LeaseStore store, String name, String owner, long ttlMs, LongSupplier elapsedMs) {
    this.store = Objects.requireNonNull(store, "store");
    this.name = Objects.requireNonNull(name, "name");
    this.owner = Objects.requireNonNull(owner, "owner");
    this.ttlMs = ttlMs;
    this.elapsedMs = elapsedMs;
  }

  /** Whether it is held at this moment. */
  boolean isHeld() {
    return taken && !lost && elapsedMs.getAsLong() < heldUntilMs;
  }

  /** Takes it, if it is free or has run out. Returns who else holds it; absent once it is held. */
  Optional<LeaseRecord> take() {
    if (taken) {
      throw new IllegalStateException("the lease " + name + " was taken before");
    }
    Optional<LeaseRecord> now = store.read(name);
    long nowMs = elapsedMs.getAsLong();
    if (now.isPresent() && !isFree(now.get(), nowMs)) {
      return now;
    }
    LeaseRecord next =
        now.map(before -> before.heldBy(owner, ttlMs)).orElse(new LeaseRecord(owner, 1, ttlMs));
    if (!store.swap(name, now, next)) {
      return store.read(name);
    }
    own = next;
    heldUntilMs = nowMs + ttlMs;
    taken = true;
    return Optional.empty();
  }

  private boolean isFree(LeaseRecord now, long nowMs) {
    return now.isGivenUp() || isOurs(now) || hasRunOut(now, nowMs);
  }

  /** Whether nobody has renewed it, for as long as it lasts, since it was first seen like this. */
  private boolean hasRunOut(LeaseRecord now, long nowMs) {
    if (!seen.equals(Optional.of(now))) {
      seen = Optional.of(now);
      seenAtMs = nowMs;
    }
    return nowMs - seenAtMs >= now.ttlMs();
  }

  /**
   * Renews it. A renewal that comes too late, or finds another holder, loses it.
   *
   * @throws dev.tula.connect.sink.engine.LakeException if the store failed; it is held on until it
   *     runs out
   */
  void renew() {
    if (!isHeld()) {
      lost = taken;
      return;
    }
    long askedMs = elapsedMs.getAsLong();
    if (swap(own) || swapAfterLostReply()) {
      heldUntilMs = askedMs + ttlMs;
    } else {
      lost = true;
    }
  }

  private boolean swap(LeaseRecord expected) {
    LeaseRecord next = expected.heldBy(owner, ttlMs);
    boolean swapped = store.swap(name, Optional.of(expected), next);
    if (swapped) {
      own = next;
    }
    return swapped;
  }

  /**
   * A renewal whose reply was lost may have happened, but others count from then, so it is made
   * once more.
   */
  private boolean swapAfterLostReply() {
    Optional<LeaseRecord> now = store.read(name).filter(this::isOurs);
    return now.isPresent() && swap(now.get());
  }

  private boolean isOurs(LeaseRecord record) {
    return record.owner().equals(owner);
  }

  /** Lets others take it at once. */
  void giveUp() {
    boolean held = isHeld();
    lost = true;
    if (held) {
      store.swap(name, Optional.of(own), own.heldBy(owner, 0));
    }
  }

  @Override
  public String toString() {
    return name + " of " + owner;
  }
}
