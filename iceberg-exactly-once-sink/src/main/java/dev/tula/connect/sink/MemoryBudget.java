package dev.tula.connect.sink;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The memory of one task ({@code tula.memory.max.bytes}), shared by the writers of all its
 * partitions. Three quarters are for rows: those that wait in the queues, the open ranges, the
 * ranges that are being committed, and the replay windows. One quarter is for the Parquet files
 * that are being written, see {@link FileMemory}.
 *
 * <p>Of the rows' share a quarter is split evenly, so that every partition has a part that no other
 * one can take from it. When the rest is used up, partitions that hold more than their part are
 * held back: Connect pauses them, since {@code put} must not block. The biggest of those whose
 * commit is not under way already are asked to cut their range early; one that is asked and stands
 * in the middle of a batch, with nothing queued, is given one poll after the other until it can, as
 * a range ends with a batch. So many are asked that, with the ranges under way, half of the share
 * is about to become free; the other half fills meanwhile. What does not move does not count: a
 * partition that is asked and gets nothing more to read, or a commit that takes long, so that the
 * next is asked as well.
 *
 * <p>Progress: while the share is used up, either a range is being committed, and its end frees
 * memory or fails the task, or some partition holds rows, is asked, and is not held back before it
 * has cut. Nobody waits for another partition that can't move. What may be held beyond the share
 * is, for each partition that is asked, the rest of its batch and one poll; or, after a restart,
 * what leads to the end of a range that has to be cut where it was before (C9).
 *
 * <p>Safe for any thread.
 */
final class MemoryBudget {
  private static final int ROW_QUARTERS = 3;
  private static final int QUARTERS = 4;
  private static final int WINDOW_PART = 8;
  private static final int OWN_PART = 4;
  private static final int RELEASE_PART = 8;

  /** An asked partition that took nothing for so long is not counted on. */
  private static final long STUCK_MS = 1_000;

  /** A range whose commit takes longer is not counted on. */
  private static final long SLOW_COMMIT_MS = 10_000;

  private final long maxBytes;
  private final long rowBytes;
  private final long sharedBytes;
  private final ElapsedTime time;
  private final Set<Account> accounts = new HashSet<>();
  private Set<Account> asked = Set.of();
  private boolean usedUp;
  private long reachedTotal;

  /**
   * @param maxBytes of the whole budget
   * @param time tells how long a partition has not moved
   */
  MemoryBudget(long maxBytes, ElapsedTime time) {
    this.maxBytes = maxBytes;
    this.rowBytes = rowBytes(maxBytes);
    this.sharedBytes = rowBytes - rowBytes / OWN_PART;
    this.time = time;
  }

  /** What a budget leaves for rows. */
  static long rowBytes(long maxBytes) {
    return maxBytes / QUARTERS * ROW_QUARTERS;
  }

  /** The least budget that leaves so much for rows. */
  static long leastFor(long rowBytes) {
    return (rowBytes + ROW_QUARTERS - 1) / ROW_QUARTERS * QUARTERS;
  }

  /** What rows may take. */
  long rowBytes() {
    return rowBytes;
  }

  /** What they take. */
  synchronized long usedBytes() {
    return accounts.stream().mapToLong(Account::bytes).sum();
  }

  /** How often they took so much of it that partitions were held back. */
  synchronized long reachedTotal() {
    return reachedTotal;
  }

  /**
   * An account for a partition that was opened.
   *
   * @param queued tells the bytes of its queue, at any time and without calling the budget
   */
  synchronized Account open(LongSupplier queued) {
    Account account = new Account(queued);
    accounts.add(account);
    return account;
  }

  /** How many bytes of fingerprints each replay window may keep of rows that are in the lake. */
  synchronized long windowBytes() {
    return maxBytes / WINDOW_PART / Math.max(1, accounts.size());
  }

  private void assess() {
    long used = usedBytes();
    if (!usedUp && used >= sharedBytes) {
      usedUp = true;
      reachedTotal++;
    } else if (usedUp && used <= sharedBytes - sharedBytes / RELEASE_PART) {
      usedUp = false;
    }
    Set<Account> before = asked;
    long now = time.ms();
    asked = usedUp ? choose(now) : Set.of();
    asked.stream().filter(a -> !before.contains(a)).forEach(a -> a.askedMs = now);
  }

  /** One that could be asked, with what it held then: queues change at any time. */
  private record Candidate(Account account, long freeable) {}

  private Set<Account> choose(long now) {
    List<Candidate> ready = new ArrayList<>();
    long freeing = 0;
    for (Account account : accounts) {
      freeing += now - account.committingMs < SLOW_COMMIT_MS ? account.committing : 0;
      long freeable = account.freeable();
      if (!account.busy && freeable > 0) {
        ready.add(new Candidate(account, freeable));
      }
    }
    ready.sort(Comparator.comparingLong(Candidate::freeable).reversed());
    Set<Account> chosen = new HashSet<>();
    for (Candidate candidate : ready) {
      if (freeing >= rowBytes / 2) {
        break;
      }
      chosen.add(candidate.account());
      freeing += candidate.account().isStuck(now) ? 0 : candidate.freeable();
    }
    return chosen;
  }

  /** What one partition takes. Its writer's thread tells; any thread may ask. */
  final class Account implements AutoCloseable {
    private final LongSupplier queued;
    private long open;
    private long committing;
    private long committingMs;
    private long window;
    private boolean busy = true;
    private boolean canCut;
    private long movedMs;
    private long askedMs;

    private Account(LongSupplier queued) {
      this.queued = queued;
    }

    private long bytes() {
      return freeable() + committing + window;
    }

    private long freeable() {
      return queued.getAsLong() + open;
    }

    private boolean isStuck(long now) {
      boolean idle = queued.getAsLong() == 0 && !canCut;
      return idle && asked.contains(this) && now - Math.max(movedMs, askedMs) >= STUCK_MS;
    }

    /**
     * Tells what the partition holds now.
     *
     * @param openBytes the range that is being read, and replays that wait to be compared
     * @param committingBytes the range that is being committed
     * @param windowBytes the replay window
     */
    void holds(long openBytes, long committingBytes, long windowBytes) {
      synchronized (MemoryBudget.this) {
        if (openBytes != open) {
          movedMs = time.ms();
        }
        if (committingBytes > 0 && committing == 0) {
          committingMs = time.ms();
        }
        open = openBytes;
        committing = committingBytes;
        window = windowBytes;
        assess();
      }
    }

    /**
     * Tells what the partition could do.
     *
     * @param mayNotCut whether a commit or an opening is under way
     * @param atBatchEnd whether its range could be cut now
     */
    void state(boolean mayNotCut, boolean atBatchEnd) {
      synchronized (MemoryBudget.this) {
        busy = mayNotCut;
        canCut = atBatchEnd;
      }
    }

    /** Whether its range is to be cut at the next end of a batch, to free memory. */
    boolean mustCut() {
      synchronized (MemoryBudget.this) {
        return asked.contains(this);
      }
    }

    /** Whether it is to take no more records for now. */
    boolean mustWait() {
      synchronized (MemoryBudget.this) {
        assess();
        boolean needsMore = asked.contains(this) && !canCut && queued.getAsLong() == 0;
        boolean withinOwnPart =
            freeable() + committing < (rowBytes - sharedBytes) / Math.max(1, accounts.size());
        return usedUp && !needsMore && !withinOwnPart;
      }
    }

    /** The budget that it is part of. */
    MemoryBudget budget() {
      return MemoryBudget.this;
    }

    /** The partition is closed; what it held is free. */
    @Override
    public void close() {
      synchronized (MemoryBudget.this) {
        accounts.remove(this);
        assess();
      }
    }
  }
}
