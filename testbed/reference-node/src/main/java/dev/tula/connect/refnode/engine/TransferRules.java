package dev.tula.connect.refnode.engine;

/**
 * Decides what becomes of a transfer, without doing it. Rules are asked in a fixed order, and the
 * first that objects names the outcome. Not thread-safe.
 */
final class TransferRules {
  private final AccountTable accounts;
  private final Registry registry;
  private final Sum sum = new Sum();

  TransferRules(AccountTable accounts, Registry registry) {
    this.accounts = accounts;
    this.registry = registry;
  }

  /** The accounts that a request touches, as far as they are known. */
  Legs legs(TransferRequest request) {
    int debit = accounts.find(request.debitAccount());
    int credit = accounts.find(request.creditAccount());
    Ledger ledger = registry.ledger(request.ledgerId());
    boolean tiered = ledger != null && ledger.mode() == LedgerMode.POSITION_SETTLEMENT;
    if (!tiered || debit == AccountTable.NONE || credit == AccountTable.NONE) {
      return new Legs(debit, credit, AccountTable.NONE, AccountTable.NONE, false);
    }
    int debitSettlement = settlementOf(debit);
    int creditSettlement = settlementOf(credit);
    boolean bothPositions = debitSettlement != debit && creditSettlement != credit;
    boolean bothSettlement = debitSettlement == debit && creditSettlement == credit;
    if (debitSettlement == AccountTable.NONE
        || creditSettlement == AccountTable.NONE
        || !(bothPositions || bothSettlement)) {
      return new Legs(debit, credit, AccountTable.NONE, AccountTable.NONE, false);
    }
    boolean indirect = isSponsored(debit) || isSponsored(credit);
    return new Legs(debit, credit, debitSettlement, creditSettlement, indirect);
  }

  /** A settlement account settles for itself; a position, at the top of what is behind it. */
  private int settlementOf(int account) {
    int parent = accounts.parent(account);
    if (accounts.has(account, AccountFlags.SETTLEMENT)) {
      return account;
    }
    if (parent == AccountTable.NONE || accounts.parent(parent) == AccountTable.NONE) {
      return parent;
    }
    return accounts.parent(parent);
  }

  private boolean isSponsored(int account) {
    int own = accounts.has(account, AccountFlags.SETTLEMENT) ? account : accounts.parent(account);
    return accounts.parent(own) != AccountTable.NONE;
  }

  /** What would become of a single-phase transfer, a reserve or a rejection by the caller. */
  Outcome decide(TransferRequest request, Legs legs) {
    if (request.type() == RequestType.REJECT) {
      return Outcome.REJECTED_BY_CALLER;
    }
    Outcome objection = objectionToNames(request);
    if (objection == null) {
      objection = objectionToAccounts(request, legs);
    }
    if (objection == null) {
      objection = objectionToAmount(request.amount(), legs);
    }
    if (objection != null) {
      return objection;
    }
    return request.type() == RequestType.RESERVE ? Outcome.RESERVED : Outcome.POSTED;
  }

  private Outcome objectionToNames(TransferRequest request) {
    Ledger ledger = registry.ledger(request.ledgerId());
    if (ledger == null) {
      return Outcome.REJECTED_UNKNOWN_LEDGER;
    }
    Source source = registry.source(request.sourceId());
    if (source == null) {
      return Outcome.REJECTED_UNKNOWN_SOURCE;
    }
    if (source.state() != EntityState.ACTIVE) {
      return Outcome.REJECTED_SOURCE_SUSPENDED;
    }
    Currency currency = registry.currency(request.currency());
    if (currency == null) {
      return Outcome.REJECTED_UNKNOWN_CURRENCY;
    }
    if (currency.state() != EntityState.ACTIVE) {
      return Outcome.REJECTED_CURRENCY_SUSPENDED;
    }
    if (ledger.book(request.currency()) == null) {
      return Outcome.REJECTED_CURRENCY_MISMATCH;
    }
    return request.amount().isPositive() ? null : Outcome.REJECTED_INVALID_AMOUNT;
  }

  private Outcome objectionToAccounts(TransferRequest request, Legs legs) {
    if (request.debitAccount().equals(request.creditAccount())) {
      return Outcome.REJECTED_SAME_ACCOUNT;
    }
    if (!legs.knowsDebit() || !legs.knowsCredit()) {
      return Outcome.REJECTED_UNKNOWN_ACCOUNT;
    }
    Outcome objection = objectionToAccount(legs.debit(), request);
    if (objection == null) {
      objection = objectionToAccount(legs.credit(), request);
    }
    if (objection != null) {
      return objection;
    }
    boolean tiered = registry.ledger(request.ledgerId()).mode() == LedgerMode.POSITION_SETTLEMENT;
    return tiered && !legs.settles() ? Outcome.REJECTED_NO_SETTLEMENT_ACCOUNT : null;
  }

  private Outcome objectionToAccount(int account, TransferRequest request) {
    Book book = accounts.book(account);
    if (book.ledgerId() != request.ledgerId()) {
      return Outcome.REJECTED_LEDGER_MISMATCH;
    }
    if (!book.currency().code().equals(request.currency())) {
      return Outcome.REJECTED_CURRENCY_MISMATCH;
    }
    return switch (accounts.state(account)) {
      case ACTIVE -> null;
      case SUSPENDED -> Outcome.REJECTED_ACCOUNT_FROZEN;
      case CLOSED -> Outcome.REJECTED_ACCOUNT_CLOSED;
    };
  }

  private Outcome objectionToAmount(Amount amount, Legs legs) {
    if (totalsTooLarge(legs.debit(), legs.credit(), amount)) {
      return Outcome.REJECTED_TOTAL_TOO_LARGE;
    }
    Outcome objection = objectionToDebit(legs.debit(), amount);
    if (objection != null) {
      return objection;
    }
    if (exceedsCreditLimit(legs.credit(), amount)) {
      return Outcome.REJECTED_CREDIT_LIMIT_EXCEEDED;
    }
    if (!legs.movesSettlement()) {
      return null;
    }
    if (totalsTooLarge(legs.debitSettlement(), legs.creditSettlement(), amount)) {
      return Outcome.REJECTED_TOTAL_TOO_LARGE;
    }
    boolean covered =
        objectionToDebit(legs.debitSettlement(), amount) == null
            && !exceedsCreditLimit(legs.creditSettlement(), amount);
    return covered ? null : Outcome.REJECTED_SETTLEMENT_LIMIT_EXCEEDED;
  }

  private Outcome objectionToDebit(int account, Amount amount) {
    accounts.available(account, sum).subtract(amount);
    if (accounts.has(account, AccountFlags.NO_OVERDRAFT) && sum.isNegative()) {
      return Outcome.REJECTED_INSUFFICIENT_FUNDS;
    }
    if (accounts.hasDebitLimit(account) && sum.add(accounts.debitLimits(), account).isNegative()) {
      return Outcome.REJECTED_DEBIT_LIMIT_EXCEEDED;
    }
    return null;
  }

  private boolean exceedsCreditLimit(int account, Amount amount) {
    if (!accounts.hasCreditLimit(account)) {
      return false;
    }
    AmountColumn limits = accounts.creditLimits();
    return accounts
        .highestBalance(account, sum)
        .add(amount)
        .exceeds(limits.high(account), limits.low(account));
  }

  private boolean totalsTooLarge(int debit, int credit, Amount amount) {
    return sum.set(0, 0)
            .add(accounts.debitsPosted(), debit)
            .add(accounts.debitsReserved(), debit)
            .add(amount)
            .exceeds(Amount.MAX)
        || sum.set(0, 0)
            .add(accounts.creditsPosted(), credit)
            .add(accounts.creditsReserved(), credit)
            .add(amount)
            .exceeds(Amount.MAX);
  }
}
