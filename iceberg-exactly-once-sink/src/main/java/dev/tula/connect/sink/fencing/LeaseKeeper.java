package dev.tula.connect.sink.fencing;

import dev.tula.connect.sink.engine.LakeException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one writer's lease: takes it, renews it in the background three times in each of its
 * lifetimes, and says before each commit whether it is still held. A store that fails or hangs
 * makes the lease run out, and the writer ends with it.
 *
 * <p>{@link #check} may be called by any thread, and never waits.
 */
public final class LeaseKeeper implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseKeeper.class);
  private static final int RENEWALS_PER_LIFETIME = 3;
  private static final long CLOSE_LIMIT_MS = 2_000;

  /** The longest wait for the store, however long the lease lasts. */
  private static final long STORE_LIMIT_MS = 30_000;

  /** The longest wait before the store is asked again whether another still holds the lease. */
  private static final long ASK_AGAIN_LIMIT_MS = 5_000;

  private static final long TELL_EVERY_MS = 60_000;

  private final Lease lease;
  private final String name;
  private final long ttlMs;
  private final LongSupplier elapsedMs;
  private final ScheduledThreadPoolExecutor thread;
  private final AtomicLong failedRenewals = new AtomicLong();
  private OptionalLong toldAtMs = OptionalLong.empty();
  private boolean renewed;

  LeaseKeeper(LeaseStore store, String name, String owner, long ttlMs, LongSupplier elapsedMs) {
    this.lease = new Lease(store, name, owner, ttlMs, elapsedMs);
    this.name = Objects.requireNonNull(name, "name");
    this.ttlMs = ttlMs;
    this.elapsedMs = elapsedMs;
    this.thread =
        new ScheduledThreadPoolExecutor(
            1,
            work -> {
              Thread renewing = new Thread(work, "tula-lease-" + name);
              renewing.setDaemon(true);
              return renewing;
            });
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /**
   * A keeper of a lease in a folder or a database.
   *
   * @param url {@code file:} and a folder, or a JDBC URL
   * @param credentials for a database: {@code user} and {@code password}
   * @param name what the lease is for
   * @param owner unique among all who ever ask for it
   * @param ttlMs how long, in ms, the lease lasts without a renewal
   */
  public static LeaseKeeper of(
      String url, Properties credentials, String name, String owner, long ttlMs) {
    LeaseStore store =
        url.startsWith("file:")
            ? new FileLeaseStore(Path.of(URI.create(url)))
            : new SqlLeaseStore(url, credentials);
    return new LeaseKeeper(store, name, owner, ttlMs, () -> System.nanoTime() / 1_000_000);
  }

  /**
   * Takes the lease, and renews it from then on. To be called again while somebody else holds it: a
   * lease is free once it was seen to stand still for as long as it lasts. One that the store hands
   * over after this has given up waiting is given back.
   *
   * <p>For one thread at a time. Waits for the store, 30 s or the lease's lifetime at most.
   *
   * @throws LeaseHeldException while another holds it
   * @throws LakeException a passing one if the store fails or hangs
   */
  public void take() {
    if (renewed) {
      return;
    }
    Optional<Lease.Holder> other = ask();
    if (other.isPresent()) {
      throw standby(other.get());
    }
    renewed = true;
    long everyMs = Math.max(1, ttlMs / RENEWALS_PER_LIFETIME);
    thread.scheduleWithFixedDelay(this::renew, everyMs, everyMs, TimeUnit.MILLISECONDS);
    LOG.info("Took the lease {}", lease);
  }

  private Optional<Lease.Holder> ask() {
    CompletableFuture<Optional<Lease.Holder>> answer = new CompletableFuture<>();
    thread.execute(() -> takeFor(answer));
    long limitMs = Math.min(ttlMs, STORE_LIMIT_MS);
    try {
      return answer.get(limitMs, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      answer.completeExceptionally(
          LakeException.passing(
              "the store of the lease "
                  + name
                  + " has not answered for "
                  + limitMs
                  + " ms; look at what tula.fencing.url names",
              e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      answer.completeExceptionally(
          LakeException.passing("interrupted while taking the lease " + name, e));
    } catch (ExecutionException e) {
      LOG.debug("The lease {} was not taken", lease, e);
    }
    return answerOf(answer);
  }

  /** An answer that came in the very moment in which it was given up counts. */
  private static Optional<Lease.Holder> answerOf(CompletableFuture<Optional<Lease.Holder>> answer) {
    try {
      return answer.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof LakeException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  /** Whoever asked may be gone by the time that the store answers. On the keeper's thread. */
  private void takeFor(CompletableFuture<Optional<Lease.Holder>> answer) {
    if (answer.isDone()) {
      return;
    }
    boolean heard;
    try {
      heard = answer.complete(lease.take());
    } catch (RuntimeException | Error e) {
      heard = answer.completeExceptionally(e);
    }
    if (!heard) {
      release(lease::giveBack);
    }
  }

  private LeaseHeldException standby(Lease.Holder other) {
    long otherTtlMs = other.record().ttlMs();
    String message =
        "the lease "
            + name
            + " is held by "
            + other.record().owner()
            + ", seen for "
            + other.heldMs() / 1_000
            + " s and not renewed for the last "
            + other.unrenewedMs()
            + " ms; it is free once that ends or has not renewed it for "
            + otherTtlMs
            + " ms";
    tellNowAndThen(message);
    long third = Math.max(1, Math.min(ttlMs, otherTtlMs) / RENEWALS_PER_LIFETIME);
    return new LeaseHeldException(message, Math.min(third, ASK_AGAIN_LIMIT_MS));
  }

  private void tellNowAndThen(String message) {
    long nowMs = elapsedMs.getAsLong();
    if (toldAtMs.isEmpty() || nowMs - toldAtMs.getAsLong() >= TELL_EVERY_MS) {
      toldAtMs = OptionalLong.of(nowMs);
      LOG.info("Standing by: {}", message);
    }
  }

  private void renew() {
    try {
      lease.renew();
    } catch (RuntimeException e) {
      // It is tried again until the lease runs out, and nothing is committed after that.
      failedRenewals.incrementAndGet();
      LOG.warn("The lease {} could not be renewed: {}", lease, e.getMessage());
    }
  }

  /** How often the store failed when the lease was to be renewed. */
  public long failedRenewals() {
    return failedRenewals.get();
  }

  /** Whether the lease was taken and is held at this moment. */
  public boolean isHeld() {
    return lease.isHeld();
  }

  /**
   * Does nothing if the lease is held at this moment.
   *
   * @throws LeaseLostException if it isn't
   */
  public void check() {
    if (!lease.isHeld()) {
      throw new LeaseLostException(
          "the lease "
              + lease
              + " was lost: it was not renewed in time, as this process stood still or the lease's store"
              + " failed, or another writer has taken it; nothing more is written until the task is"
              + " restarted");
    }
  }

  /**
   * Gives the lease up: before it returns if the store answers soon, and else when it does. May be
   * called again.
   */
  @Override
  public void close() {
    if (thread.isShutdown()) {
      return;
    }
    thread.execute(() -> release(lease::giveUp));
    thread.shutdown();
    try {
      if (!thread.awaitTermination(CLOSE_LIMIT_MS, TimeUnit.MILLISECONDS)) {
        LOG.warn("The lease {} is given up once its store answers", lease);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void release(Runnable release) {
    try {
      release.run();
    } catch (RuntimeException e) {
      LOG.warn("The lease {} could not be given up: {}", lease, e.getMessage());
    }
  }
}
