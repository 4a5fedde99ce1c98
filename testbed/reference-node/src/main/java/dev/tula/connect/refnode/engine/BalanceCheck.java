package dev.tula.connect.refnode.engine;

import java.math.BigInteger;
import java.util.List;

/**
 * What a count over every account shows.
 *
 * @param books one entry per ledger and currency
 */
public record BalanceCheck(List<BookTotals> books) {
  /**
   * The totals of one ledger in one currency.
   *
   * @param ledgerId the ledger
   * @param currency the currency
   * @param accounts how many accounts it has
   * @param debitsPosted the sum over its accounts
   * @param creditsPosted the sum over its accounts
   * @param debitsReserved the sum over its accounts
   * @param creditsReserved the sum over its accounts
   */
  public record BookTotals(
      int ledgerId,
      String currency,
      int accounts,
      BigInteger debitsPosted,
      BigInteger creditsPosted,
      BigInteger debitsReserved,
      BigInteger creditsReserved) {
    /** Whether debits and credits agree. */
    public boolean balanced() {
      return debitsPosted.equals(creditsPosted) && debitsReserved.equals(creditsReserved);
    }
  }

  /** Whether every ledger sums to zero in every currency. */
  public boolean balanced() {
    return books.stream().allMatch(BookTotals::balanced);
  }
}
