package dev.tula.connect.refnode.engine;

import java.util.List;
import java.util.OptionalInt;

/** An engine with two ledgers and a few accounts: 1 is default, 2 tiered, both in USD and EUR. */
final class TestLedger {
  static final Id128 BANK = account(1);
  static final Id128 ALICE = account(2);
  static final Id128 BOB = account(3);
  static final Id128 EURO_BANK = account(4);
  static final Id128 CENTRAL = account(10);
  static final Id128 DIRECT = account(11);
  static final Id128 OTHER_DIRECT = account(12);
  static final Id128 SPONSORED = account(13);
  static final Id128 POSITION = account(20);
  static final Id128 OTHER_POSITION = account(21);
  static final Id128 SPONSORED_POSITION = account(22);
  static final Id128 NEIGHBOUR_POSITION = account(23);

  final MemoryStore store = new MemoryStore();
  final LedgerEngine engine = new LedgerEngine(store, new EngineObserver() {}, 0);
  private long batch;
  private long txn;

  static Id128 account(long number) {
    return new Id128(7, number);
  }

  TestLedger() {
    begin();
    engine.putCurrency("USD", 2, EntityState.ACTIVE);
    engine.putCurrency("EUR", 2, EntityState.ACTIVE);
    engine.putSource(1, "first", EntityState.ACTIVE);
    engine.putLedger(1, "retail", LedgerMode.DEFAULT, List.of("USD", "EUR"));
    engine.putLedger(2, "interbank", LedgerMode.POSITION_SETTLEMENT, List.of("USD"));
    engine.createAccount(AccountSpec.of(BANK, 1, "USD", AccountFlags.SYSTEM));
    engine.createAccount(AccountSpec.of(ALICE, 1, "USD", AccountFlags.NO_OVERDRAFT));
    engine.createAccount(AccountSpec.of(BOB, 1, "USD", AccountFlags.NO_OVERDRAFT));
    engine.createAccount(AccountSpec.of(EURO_BANK, 1, "EUR", AccountFlags.SYSTEM));
    createTieredAccounts();
    end();
  }

  private void createTieredAccounts() {
    int settles = AccountFlags.SETTLEMENT | AccountFlags.NO_OVERDRAFT;
    int central = AccountFlags.SETTLEMENT | AccountFlags.SYSTEM;
    engine.createAccount(AccountSpec.of(CENTRAL, 2, "USD", central));
    engine.createAccount(AccountSpec.of(DIRECT, 2, "USD", settles));
    engine.createAccount(AccountSpec.of(OTHER_DIRECT, 2, "USD", settles));
    engine.createAccount(AccountSpec.of(SPONSORED, 2, "USD", settles).withParent(DIRECT));
    engine.createAccount(AccountSpec.of(POSITION, 2, "USD", 0).withParent(DIRECT));
    engine.createAccount(AccountSpec.of(OTHER_POSITION, 2, "USD", 0).withParent(OTHER_DIRECT));
    engine.createAccount(AccountSpec.of(SPONSORED_POSITION, 2, "USD", 0).withParent(SPONSORED));
    engine.createAccount(AccountSpec.of(NEIGHBOUR_POSITION, 2, "USD", 0).withParent(DIRECT));
  }

  void begin() {
    batch++;
    engine.beginBatch(batch, batch, batch * 1000, batch * 1000 + 500);
  }

  void end() {
    engine.endBatch();
  }

  /** In a batch of its own. */
  Outcome transfer(TransferRequest request) {
    begin();
    Outcome outcome = engine.transfer(request);
    end();
    return outcome;
  }

  TransferRequest request(RequestType type, int ledger, Id128 debit, Id128 credit, long amount) {
    return new TransferRequest(
        type,
        ledger,
        1,
        "USD",
        new Id128(99, ++txn),
        debit,
        credit,
        Amount.of(amount),
        OptionalInt.empty());
  }

  TransferRequest single(Id128 debit, Id128 credit, long amount) {
    return request(RequestType.SINGLE, 1, debit, credit, amount);
  }

  TransferRequest reserve(Id128 debit, Id128 credit, long amount) {
    return request(RequestType.RESERVE, 1, debit, credit, amount);
  }

  TransferRequest tiered(Id128 debit, Id128 credit, long amount) {
    return request(RequestType.SINGLE, 2, debit, credit, amount);
  }

  AccountBalances balances(Id128 account) {
    return engine.balances(account).orElseThrow();
  }

  long available(Id128 account) {
    return balances(account).available().toBigInteger().longValueExact();
  }
}
