package dev.tula.connect.refnode.workload;

import dev.tula.connect.refnode.engine.AccountSpec;
import dev.tula.connect.refnode.engine.EntityState;
import dev.tula.connect.refnode.engine.Id128;
import dev.tula.connect.refnode.engine.LedgerEngine;
import dev.tula.connect.refnode.engine.Outcome;
import dev.tula.connect.refnode.engine.RequestType;
import dev.tula.connect.refnode.engine.TransferRequest;
import dev.tula.connect.refnode.workload.Genesis.BookKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * A workload from a seed. Each batch draws from a random stream of its own, made from the seed and
 * the batch's number, and looks only at what the ledger recorded before; so neither a restart nor
 * the pace changes what comes. Its clock is virtual: it moves by the batch. The input cursor counts
 * the steps of the ledger's beginning. Not thread-safe.
 */
public final class WorkloadGenerator implements Workload {
  private static final int MIN_OPEN_RESERVATIONS = 64;
  private static final int MAX_OPEN_RESERVATIONS = 50_000;
  private static final int SAME_INSTANT_ONE_IN = 64;
  private static final int LULL_ONE_IN = 512;
  private static final long MICROS_PER_SECOND = 1_000_000;

  private final WorkloadSettings settings;
  private final List<Consumer<LedgerEngine>> genesis;
  private final List<BookAccounts> books = new ArrayList<>();
  private final Map<BookName, BookAccounts> booksByName = new HashMap<>();
  private final Map<Id128, BookAccounts> booksByAccount = new HashMap<>();
  private final RecentRequests recent = new RecentRequests();
  private final RejectedRequests rejected;
  private final MetadataChanges metadata;

  private record BookName(int ledgerId, String currency) {}

  /** A workload at its beginning, to be brought forward as the engine's observer. */
  public WorkloadGenerator(WorkloadSettings settings) {
    this.settings = settings;
    this.genesis = Genesis.steps(settings.members());
    for (BookKey key : Genesis.BOOKS) {
      BookAccounts book = new BookAccounts(key);
      books.add(book);
      booksByName.put(new BookName(key.ledgerId(), key.currency()), book);
    }
    this.rejected = new RejectedRequests(books, recent);
    this.metadata = new MetadataChanges(settings, books);
  }

  @Override
  public void accountCreated(AccountSpec account) {
    BookAccounts book = booksByName.get(new BookName(account.ledgerId(), account.currency()));
    if (book != null) {
      book.created(account);
      booksByAccount.put(account.id(), book);
    }
  }

  @Override
  public void accountUpdated(Id128 account, EntityState state) {
    BookAccounts book = booksByAccount.get(account);
    if (book != null) {
      book.updated(account, state);
    }
  }

  @Override
  public void transferRecorded(TransferRequest request, Outcome outcome) {
    recent.add(request);
  }

  @Override
  public String fingerprint() {
    return settings.fingerprint();
  }

  @Override
  public Optional<Plan> plan(Standing standing) {
    Rng rng = new Rng(settings.seed(), -standing.globalBatchSeq());
    long opened = standing.lastRecordedAtMicros();
    long committed = Math.max(opened + step(rng), standing.closedThroughMicros() + 1);
    return Optional.of(new Plan(standing, opened, committed, records(rng)));
  }

  /** Mostly milliseconds; sometimes the same instant again, rarely a lull of seconds. */
  private static long step(Rng rng) {
    if (rng.oneIn(SAME_INSTANT_ONE_IN)) {
      return 0;
    }
    if (rng.oneIn(LULL_ONE_IN)) {
      return (1 + rng.below(30)) * MICROS_PER_SECOND + rng.below(1_000_000);
    }
    return 50 + rng.logarithmic(14);
  }

  /** Batches of every size: one record in some, the maximum in others. */
  private int records(Rng rng) {
    int max = settings.maxBatchRecords();
    return switch (rng.below(10)) {
      case 0 -> 1;
      case 1, 2 -> 1 + rng.below(Math.min(16, max));
      case 3, 4, 5, 6, 7 -> 1 + rng.below(Math.max(1, max / 2));
      case 8 -> 1 + rng.below(max);
      default -> max;
    };
  }

  @Override
  public long fill(LedgerEngine engine, Plan plan, int limit) {
    Rng rng = new Rng(settings.seed(), plan.standing().globalBatchSeq());
    int target = Math.min(plan.records(), limit);
    int maxSteps = 4 * target + 64;
    long begun = plan.standing().inputCursor();
    for (int step = 0; step < maxSteps && engine.recordsInBatch() < target; step++) {
      if (begun < genesis.size()) {
        genesis.get((int) begun++).accept(engine);
      } else {
        step(engine, rng);
      }
    }
    if (engine.recordsInBatch() == 0) {
      single(engine, rng);
    }
    return begun;
  }

  private void step(LedgerEngine engine, Rng rng) {
    switch (settings.mixture().pick(rng)) {
      case SINGLE -> single(engine, rng);
      case RESERVE -> reserve(engine, rng);
      case RESOLVE -> resolve(engine, rng);
      case REJECT -> engine.transfer(rejected.next(rng));
      case DUPLICATE -> engine.transfer(recent.isEmpty() ? transfer(rng) : recent.pick(rng));
      case METADATA -> metadata.next(engine, rng);
    }
  }

  private void single(LedgerEngine engine, Rng rng) {
    engine.transfer(transfer(rng));
  }

  private void reserve(LedgerEngine engine, Rng rng) {
    if (engine.openReservations() >= MAX_OPEN_RESERVATIONS) {
      resolve(engine, rng);
      return;
    }
    engine.transfer(Transfers.as(transfer(rng), RequestType.RESERVE));
  }

  private void resolve(LedgerEngine engine, Rng rng) {
    int open = engine.openReservations();
    if (open < MIN_OPEN_RESERVATIONS) {
      engine.transfer(Transfers.as(transfer(rng), RequestType.RESERVE));
      return;
    }
    TransferRequest reserved = engine.openReservation(rng.below(open));
    boolean commit = rng.below(5) > 0;
    OptionalInt reason =
        commit || rng.oneIn(2) ? OptionalInt.empty() : OptionalInt.of(100 + rng.below(20));
    engine.transfer(
        reserved.resolution(commit ? RequestType.COMMIT : RequestType.ROLLBACK, reason));
  }

  private TransferRequest transfer(Rng rng) {
    BookAccounts book = books.get(rng.below(books.size()));
    return Transfers.plausible(book, rng);
  }
}
