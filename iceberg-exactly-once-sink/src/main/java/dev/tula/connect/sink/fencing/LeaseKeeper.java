package dev.tula.connect.sink.fencing;

import dev.tula.connect.sink.engine.LakeException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
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

  private final Lease lease;
  private final String name;
  private final long ttlMs;
  private final ScheduledThreadPoolExecutor thread;
  private final AtomicLong failedRenewals = new AtomicLong();
  private volatile boolean held;

  LeaseKeeper(LeaseStore store, String name, String owner, long ttlMs, LongSupplier elapsedMs) {
    this.lease = new Lease(store, name, owner, ttlMs, elapsedMs);
    this.name = Objects.requireNonNull(name, "name");
    this.ttlMs = ttlMs;
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
   * lease is free once it was seen to stand still for as long as it lasts.
   *
   * @throws LakeException a passing one while another holds it, or the store fails or hangs
   */
  public void take() {
    if (held) {
      return;
    }
    Optional<LeaseRecord> other = await(thread.submit(lease::take));
    if (other.isPresent()) {
      throw LakeException.passing(
          "the lease "
              + name
              + " is held by "
              + other.get().owner()
              + "; it is free once that ends or has not renewed it for "
              + other.get().ttlMs()
              + " ms",
          null);
    }
    held = true;
    long everyMs = Math.max(1, ttlMs / RENEWALS_PER_LIFETIME);
    thread.scheduleWithFixedDelay(this::renew, everyMs, everyMs, TimeUnit.MILLISECONDS);
    LOG.info("Took the lease {}", lease);
  }

  private Optional<LeaseRecord> await(Future<Optional<LeaseRecord>> taking) {
    try {
      return taking.get(Math.min(ttlMs, STORE_LIMIT_MS), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      taking.cancel(true);
      throw LakeException.passing("the store of the lease " + name + " does not answer", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw LakeException.passing("interrupted while taking the lease " + name, e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof LakeException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
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

  /** Gives the lease up, if the store answers soon. May be called again. */
  @Override
  public void close() {
    if (thread.isShutdown()) {
      return;
    }
    thread.execute(
        () -> {
          try {
            lease.giveUp();
          } catch (RuntimeException e) {
            LOG.warn("The lease {} could not be given up: {}", lease, e.getMessage());
          }
        });
    thread.shutdown();
    try {
      if (!thread.awaitTermination(CLOSE_LIMIT_MS, TimeUnit.MILLISECONDS)) {
        thread.shutdownNow();
      }
    } catch (InterruptedException e) {
      thread.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
