package dev.tula.connect.sink.fencing;

import dev.tula.connect.sink.engine.LakeException;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * One writer's hold on one lease. It decides by elapsed time alone, on this machine's monotonic
 * clock, so that clocks which disagree do no harm: the holder counts from before it asked for a
 * renewal, who waits counts from after it saw one, and so the holder gives up first.
 *
 * <p>Once lost it is never held again; one that was given back can be taken anew. {@link #isHeld}
 * may be asked by any thread; all else belongs to one.
 */
final class Lease {
  private final LeaseStore store;
  private final String name;
  private final String owner;
  private final long ttlMs;
  private final LongSupplier elapsedMs;

  private Optional<LeaseRecord> seen = Optional.empty();
  private long seenAtMs;
  private long holderSeenAtMs;
  private LeaseRecord own;
  private boolean mayBeOurs;
  private volatile boolean taken;
  private volatile boolean lost;
  private volatile long heldUntilMs;

  /**
   * Who else holds the lease, as it was watched from here.
   *
   * @param record what the store holds
   * @param heldMs how long that one was seen to hold it, in ms
   * @param unrenewedMs how long, in ms, it was seen to stand still
   */
  record Holder(LeaseRecord record, long heldMs, long unrenewedMs) {
    private boolean hasRunOut() {
      return unrenewedMs >= record.ttlMs();
    }
  }

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

  /**
   * Takes it, if it is free or has run out. Returns who else holds it; absent once it is held.
   *
   * @throws LakeException if the store failed; it may be taken then, which the next try makes good,
   *     or {@link #giveBack}
   */
  Optional<Holder> take() {
    if (taken) {
      throw new IllegalStateException("the lease " + name + " was taken before");
    }
    Optional<LeaseRecord> now = store.read(name);
    long nowMs = elapsedMs.getAsLong();
    Optional<Holder> other = now.map(found -> watch(found, nowMs)).filter(found -> !isFree(found));
    if (other.isPresent()) {
      return other;
    }
    LeaseRecord next =
        now.map(before -> before.heldBy(owner, ttlMs)).orElse(new LeaseRecord(owner, 1, ttlMs));
    mayBeOurs = true;
    if (!store.swap(name, now, next)) {
      mayBeOurs = false;
      return Optional.of(faster());
    }
    own = next;
    heldUntilMs = nowMs + ttlMs;
    taken = true;
    return Optional.empty();
  }

  private boolean isFree(Holder found) {
    return found.record().isGivenUp() || isOurs(found.record()) || found.hasRunOut();
  }

  private Holder watch(LeaseRecord now, long nowMs) {
    if (!seen.map(LeaseRecord::owner).equals(Optional.of(now.owner()))) {
      holderSeenAtMs = nowMs;
    }
    if (!seen.equals(Optional.of(now))) {
      seen = Optional.of(now);
      seenAtMs = nowMs;
    }
    return new Holder(now, nowMs - holderSeenAtMs, nowMs - seenAtMs);
  }

  private Holder faster() {
    LeaseRecord now =
        store
            .read(name)
            .orElseThrow(
                () ->
                    LakeException.passing(
                        "the lease " + name + " was removed while it was taken", null));
    return watch(now, elapsedMs.getAsLong());
  }

  /**
   * Renews it. A renewal that comes too late, or finds another holder, loses it.
   *
   * @throws LakeException if the store failed; it is held on until it runs out
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

  /** Lets others take it at once. It is never held again. */
  void giveUp() {
    lost = true;
    release();
  }

  /** Lets others take it at once, and may be taken again. */
  void giveBack() {
    taken = false;
    release();
  }

  /** What a lost reply left behind in the store is released too. */
  private void release() {
    if (!mayBeOurs) {
      return;
    }
    Optional<LeaseRecord> now =
        store.read(name).filter(this::isOurs).filter(record -> !record.isGivenUp());
    now.ifPresent(record -> store.swap(name, now, record.heldBy(owner, 0)));
    mayBeOurs = false;
  }

  @Override
  public String toString() {
    return name + " of " + owner;
  }
}
