package dev.tula.connect.refnode.engine;

/**
 * The accounts of one ledger in one currency. Its net, credits less debits over all accounts, is
 * zero after every record.
 */
final class Book {
  private final int ledgerId;
  private final Currency currency;
  private final Sum net = new Sum();

  Book(int ledgerId, Currency currency) {
    this.ledgerId = ledgerId;
    this.currency = currency;
  }

  int ledgerId() {
    return ledgerId;
  }

  Currency currency() {
    return currency;
  }

  void credited(Amount amount) {
    net.add(amount);
  }

  void debited(Amount amount) {
    net.subtract(amount);
  }

  void requireBalanced() {
    if (!net.isZero()) {
      throw new IllegalStateException(
          "ledger "
              + ledgerId
              + " is out of balance in "
              + currency.code()
              + " by "
              + net.toAmount());
    }
  }
}
