package dev.tula.connect.refnode.workload;

import dev.tula.connect.refnode.engine.AccountBalances;
import dev.tula.connect.refnode.engine.AccountFlags;
import dev.tula.connect.refnode.engine.AccountSpec;
import dev.tula.connect.refnode.engine.Amount;
import dev.tula.connect.refnode.engine.EntityState;
import dev.tula.connect.refnode.engine.Id128;
import dev.tula.connect.refnode.engine.LedgerEngine;
import dev.tula.connect.refnode.workload.Genesis.BookKey;
import java.util.List;
import java.util.Optional;

/** Makes changes of accounts and, now and then, of everything else. Each leaves one record. */
final class MetadataChanges {
  private static final int MAX_FROZEN = 2;
  private static final String SUSPENDED_AT_TIMES = "KWD";

  private final WorkloadSettings settings;
  private final List<BookAccounts> books;

  MetadataChanges(WorkloadSettings settings, List<BookAccounts> books) {
    this.settings = settings;
    this.books = books;
  }

  void next(LedgerEngine engine, Rng rng) {
    if (rng.oneIn(4) && isSuspended(engine)) {
      engine.putCurrency(SUSPENDED_AT_TIMES, 3, EntityState.ACTIVE);
      return;
    }
    BookAccounts book = books.get(rng.below(books.size()));
    int way = rng.below(20);
    if (way < 12 && engine.accountCount() < settings.maxAccounts()) {
      create(engine, book, rng);
    } else if (way < 16) {
      update(engine, book, rng);
    } else if (way < 18) {
      close(engine, book, rng);
    } else {
      registry(engine, book.key(), rng);
    }
  }

  private static void create(LedgerEngine engine, BookAccounts book, Rng rng) {
    BookKey key = book.key();
    if (book.tiered()) {
      engine.createAccount(Genesis.position(key, book.nextOrdinal(), book.settlement(rng)));
      return;
    }
    int kind = rng.below(10);
    AccountSpec spec =
        Genesis.account(key, book.nextOrdinal(), kind < 7 ? AccountFlags.NO_OVERDRAFT : 0);
    if (kind >= 7) {
      spec = spec.withDebitLimit(limit(key, rng));
    }
    if (kind == 0) {
      spec = spec.withCreditLimit(limit(key, rng));
    }
    engine.createAccount(spec);
  }

  private static Amount limit(BookKey key, Rng rng) {
    return Genesis.amount(key.currency(), (1 + rng.below(200)) * 100_000L, 0);
  }

  /** Thaws where much is frozen; else freezes, or sets new limits. */
  private static void update(LedgerEngine engine, BookAccounts book, Rng rng) {
    boolean thaw = book.frozen().size() >= MAX_FROZEN;
    Id128 account = thaw ? book.frozen().get(0) : book.payer(rng);
    boolean freeze = !thaw && rng.oneIn(3);
    Optional<Amount> debitLimit =
        book.tiered() || rng.oneIn(4) ? Optional.of(limit(book.key(), rng)) : Optional.empty();
    Optional<Amount> creditLimit =
        rng.oneIn(20) ? Optional.of(limit(book.key(), rng)) : Optional.empty();
    engine.updateAccount(
        account, debitLimit, creditLimit, freeze ? EntityState.SUSPENDED : EntityState.ACTIVE);
  }

  /**
   * Closes the newest account if nothing is on it and others are left; else creates one or updates.
   */
  private void close(LedgerEngine engine, BookAccounts book, Rng rng) {
    Id128 newest = book.newestPayer();
    if (book.hasTwoPayers() && engine.balances(newest).map(AccountBalances::isIdle).orElse(false)) {
      engine.closeAccount(newest);
    } else if (engine.accountCount() < settings.maxAccounts()) {
      create(engine, book, rng);
    } else {
      update(engine, book, rng);
    }
  }

  private void registry(LedgerEngine engine, BookKey key, Rng rng) {
    switch (rng.below(4)) {
      case 0 -> {
        EntityState state = rng.oneIn(2) ? EntityState.SUSPENDED : EntityState.ACTIVE;
        engine.putSource(Genesis.SOURCES, "source " + Genesis.SOURCES, state);
      }
      case 1 -> engine.putCurrency(SUSPENDED_AT_TIMES, 3, EntityState.SUSPENDED);
      case 2 ->
          engine.putLedger(
              key.ledgerId(),
              "ledger " + key.ledgerId() + " rev " + rng.below(1000),
              key.mode(),
              Genesis.currencies(key.ledgerId()));
      default -> {
        int member = 1 + rng.below(settings.members());
        String role = rng.oneIn(2) ? "leader" : "follower";
        engine.putMember(Genesis.member(member, role, 1 + rng.below(9)));
      }
    }
  }

  private static boolean isSuspended(LedgerEngine engine) {
    return engine.currencyState(SUSPENDED_AT_TIMES).stream()
        .anyMatch(EntityState.SUSPENDED::equals);
  }
}
