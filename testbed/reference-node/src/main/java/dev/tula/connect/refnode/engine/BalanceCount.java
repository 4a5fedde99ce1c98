package dev.tula.connect.refnode.engine;

import dev.tula.connect.refnode.engine.BalanceCheck.BookTotals;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** Adds up every account, from the accounts alone: no running total takes part. */
final class BalanceCount {
  private final Sum debitsPosted = new Sum();
  private final Sum creditsPosted = new Sum();
  private final Sum debitsReserved = new Sum();
  private final Sum creditsReserved = new Sum();
  private int accountCount;

  private BalanceCount() {}

  static BalanceCheck of(Registry registry, AccountTable accounts) {
    Map<Book, BalanceCount> counts = new IdentityHashMap<>();
    for (int account = 0; account < accounts.size(); account++) {
      counts
          .computeIfAbsent(accounts.book(account), book -> new BalanceCount())
          .add(accounts, account);
    }
    List<BookTotals> totals = new ArrayList<>();
    for (Ledger ledger : registry.ledgers()) {
      for (String currency : ledger.currencies()) {
        BalanceCount count = counts.getOrDefault(ledger.book(currency), new BalanceCount());
        totals.add(count.totals(ledger.id(), currency));
      }
    }
    return new BalanceCheck(List.copyOf(totals));
  }

  private void add(AccountTable accounts, int account) {
    accountCount++;
    debitsPosted.add(accounts.debitsPosted(), account);
    creditsPosted.add(accounts.creditsPosted(), account);
    debitsReserved.add(accounts.debitsReserved(), account);
    creditsReserved.add(accounts.creditsReserved(), account);
  }

  private BookTotals totals(int ledgerId, String currency) {
    return new BookTotals(
        ledgerId,
        currency,
        accountCount,
        debitsPosted.toAmount().toBigInteger(),
        creditsPosted.toAmount().toBigInteger(),
        debitsReserved.toAmount().toBigInteger(),
        creditsReserved.toAmount().toBigInteger());
  }
}
