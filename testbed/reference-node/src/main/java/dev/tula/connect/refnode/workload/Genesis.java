package dev.tula.connect.refnode.workload;

import dev.tula.connect.refnode.engine.AccountFlags;
import dev.tula.connect.refnode.engine.AccountSpec;
import dev.tula.connect.refnode.engine.Amount;
import dev.tula.connect.refnode.engine.ClusterMember;
import dev.tula.connect.refnode.engine.EntityState;
import dev.tula.connect.refnode.engine.Id128;
import dev.tula.connect.refnode.engine.LedgerEngine;
import dev.tula.connect.refnode.engine.LedgerMode;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What a generated ledger begins with: one step, and so one record, for each currency, source,
 * member, ledger and first account.
 */
final class Genesis {
  /** A ledger in one currency. */
  record BookKey(int ledgerId, String currency, LedgerMode mode, int number) {
    Id128 account(long ordinal) {
      return new Id128((long) ledgerId << 32 | number, ordinal);
    }
  }

  static final List<BookKey> BOOKS =
      List.of(
          new BookKey(1, "USD", LedgerMode.DEFAULT, 1),
          new BookKey(1, "EUR", LedgerMode.DEFAULT, 2),
          new BookKey(1, "JPY", LedgerMode.DEFAULT, 3),
          new BookKey(2, "EUR", LedgerMode.DEFAULT, 4),
          new BookKey(2, "ETH", LedgerMode.DEFAULT, 5),
          new BookKey(2, "KWD", LedgerMode.DEFAULT, 6),
          new BookKey(3, "USD", LedgerMode.POSITION_SETTLEMENT, 7),
          new BookKey(3, "EUR", LedgerMode.POSITION_SETTLEMENT, 8),
          new BookKey(4, "JPY", LedgerMode.POSITION_SETTLEMENT, 9));

  /** The currency whose amounts need more than 64 bits. */
  static final String WIDE_CURRENCY = "ETH";

  static final int SOURCES = 4;

  private static final int CUSTOMERS = 4;
  private static final int DIRECT = 2;
  private static final int POSITIONS = 4;
  private static final int DEFAULT_BOOKS = 6;

  /** The ordinal of a book's system account. */
  static final int SYSTEM = 1;

  /** How many accounts there are at first. */
  static final int ACCOUNTS =
      DEFAULT_BOOKS * (1 + CUSTOMERS)
          + (BOOKS.size() - DEFAULT_BOOKS) * (1 + DIRECT + 1 + POSITIONS);

  private static final Amount NET_DEBIT_CAP = Amount.of(50_000_000);

  private Genesis() {}

  static List<Consumer<LedgerEngine>> steps(int members) {
    List<Consumer<LedgerEngine>> steps = new ArrayList<>();
    currency(steps, "USD", 2);
    currency(steps, "EUR", 2);
    currency(steps, "JPY", 0);
    currency(steps, WIDE_CURRENCY, 18);
    currency(steps, "KWD", 3);
    for (int source = 1; source <= SOURCES; source++) {
      int id = source;
      steps.add(engine -> engine.putSource(id, "source " + id, EntityState.ACTIVE));
    }
    for (int member = 1; member <= members; member++) {
      ClusterMember first = member(member, member == 1 ? "leader" : "follower", 1);
      steps.add(engine -> engine.putMember(first));
    }
    ledger(steps, 1, "retail", LedgerMode.DEFAULT);
    ledger(steps, 2, "treasury", LedgerMode.DEFAULT);
    ledger(steps, 3, "interbank", LedgerMode.POSITION_SETTLEMENT);
    ledger(steps, 4, "interbank jpy", LedgerMode.POSITION_SETTLEMENT);
    BOOKS.forEach(book -> accounts(steps, book));
    return List.copyOf(steps);
  }

  static ClusterMember member(int number, String role, long term) {
    return new ClusterMember("node-" + number, "node-" + number + ".tula.local:7800", role, term);
  }

  private static void currency(List<Consumer<LedgerEngine>> steps, String code, int exponent) {
    steps.add(engine -> engine.putCurrency(code, exponent, EntityState.ACTIVE));
  }

  private static void ledger(
      List<Consumer<LedgerEngine>> steps, int id, String name, LedgerMode mode) {
    List<String> currencies = currencies(id);
    steps.add(engine -> engine.putLedger(id, name, mode, currencies));
  }

  static List<String> currencies(int ledgerId) {
    return BOOKS.stream()
        .filter(book -> book.ledgerId() == ledgerId)
        .map(BookKey::currency)
        .toList();
  }

  private static void accounts(List<Consumer<LedgerEngine>> steps, BookKey book) {
    boolean tiered = book.mode() == LedgerMode.POSITION_SETTLEMENT;
    int systemFlags = AccountFlags.SYSTEM | (tiered ? AccountFlags.SETTLEMENT : 0);
    int ordinal = SYSTEM;
    create(steps, account(book, ordinal++, systemFlags));
    if (!tiered) {
      for (int i = 0; i < CUSTOMERS; i++) {
        create(steps, account(book, ordinal++, AccountFlags.NO_OVERDRAFT));
      }
      return;
    }
    int settlement = AccountFlags.SETTLEMENT | AccountFlags.NO_OVERDRAFT;
    int firstDirect = ordinal;
    for (int i = 0; i < DIRECT; i++) {
      create(steps, account(book, ordinal++, settlement));
    }
    int sponsored = ordinal++;
    create(steps, account(book, sponsored, settlement).withParent(book.account(firstDirect)));
    for (int i = 0; i < POSITIONS; i++) {
      int parent = firstDirect + i % (DIRECT + 1);
      create(steps, position(book, ordinal++, book.account(parent)));
    }
  }

  static AccountSpec position(BookKey book, long ordinal, Id128 parent) {
    return account(book, ordinal, 0).withParent(parent).withDebitLimit(NET_DEBIT_CAP);
  }

  static AccountSpec account(BookKey book, long ordinal, int flags) {
    return AccountSpec.of(book.account(ordinal), book.ledgerId(), book.currency(), flags);
  }

  private static void create(List<Consumer<LedgerEngine>> steps, AccountSpec spec) {
    steps.add(engine -> engine.createAccount(spec));
  }

  /** An amount in the currency's minor units that is worth about as much as so many cents. */
  static Amount amount(String currency, long cents, long fraction) {
    return switch (currency) {
      case "JPY" -> Amount.of(Math.max(1, cents / 100 + cents % 100));
      case "KWD" -> Amount.of(cents * 10 + Math.floorMod(fraction, 10));
      case WIDE_CURRENCY ->
          Amount.of(
              BigInteger.valueOf(cents)
                  .multiply(BigInteger.TEN.pow(16))
                  .add(BigInteger.valueOf(Math.floorMod(fraction, 10_000_000_000_000_000L))));
      default -> Amount.of(cents);
    };
  }
}
