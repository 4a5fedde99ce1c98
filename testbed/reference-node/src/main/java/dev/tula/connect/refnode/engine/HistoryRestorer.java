package dev.tula.connect.refnode.engine;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.model.RowSchema;
import java.util.Optional;

/**
 * Turns a stored record back into the change of state that it stands for, and holds the balances
 * that follow against those in the record.
 */
final class HistoryRestorer {
  private static final int DR_CREDITS_POSTED = RowSchema.FIRST_FULL_RECORD_FIELD;
  private static final int DR_DEBITS_POSTED = RowSchema.FIRST_FULL_RECORD_FIELD + 1;
  private static final int CR_CREDITS_POSTED = RowSchema.FIRST_FULL_RECORD_FIELD + 2;
  private static final int CR_DEBITS_POSTED = RowSchema.FIRST_FULL_RECORD_FIELD + 3;
  private static final int DR_AVAILABLE = RowSchema.FIRST_FULL_RECORD_FIELD + 4;
  private static final int CR_AVAILABLE = RowSchema.FIRST_FULL_RECORD_FIELD + 5;

  /** What the engine does with what was read. */
  interface Target {
    void apply(Outcome outcome, Amount amount, Legs legs);

    void noteDecision(TransferRequest request, Id128 transferId, Outcome outcome, Legs legs);

    int addAccount(AccountSpec spec);
  }

  private final AccountTable accounts;
  private final Registry registry;
  private final TransferRules rules;
  private final IdentityIndex identities;
  private final Reservations reservations;
  private final EngineObserver observer;
  private final Target target;
  private final StoredRows rows = new StoredRows();
  private final Sum sum = new Sum();

  HistoryRestorer(
      AccountTable accounts,
      Registry registry,
      TransferRules rules,
      IdentityIndex identities,
      Reservations reservations,
      EngineObserver observer,
      Target target) {
    this.accounts = accounts;
    this.registry = registry;
    this.rules = rules;
    this.identities = identities;
    this.reservations = reservations;
    this.observer = observer;
    this.target = target;
  }

  void restore(byte requestType, CanonicalRow row, long locator) {
    RowReader reader = rows.wrap(row);
    switch (row.kind()) {
      case TRANSACTION -> restoreTransfer(RequestType.ofCode(requestType), locator);
      case ACCOUNT_CHANGE -> restoreAccount(reader);
      case LEDGER_CHANGE ->
          registry.putLedger(
              Integer.parseInt(reader.string(RowSchema.ENTITY_ID)),
              reader.string(field(reader, "name")),
              LedgerMode.ofText(reader.string(field(reader, "mode"))),
              reader.stringList(field(reader, "currencies")));
      case CURRENCY_CHANGE ->
          registry.putCurrency(
              reader.string(RowSchema.ENTITY_ID),
              reader.intValue(field(reader, "exponent")),
              state(reader));
      case SOURCE_CHANGE ->
          registry.putSource(
              Integer.parseInt(reader.string(RowSchema.ENTITY_ID)),
              reader.string(field(reader, "name")),
              state(reader));
      case CLUSTER_CHANGE ->
          registry.putMember(
              new ClusterMember(
                  reader.string(RowSchema.ENTITY_ID),
                  reader.string(field(reader, "address")),
                  reader.string(field(reader, "role")),
                  reader.longValue(field(reader, "term"))));
      default -> throw new IllegalArgumentException(row.kind() + " is not a record");
    }
  }

  private void restoreTransfer(RequestType type, long locator) {
    TransferRequest request = rows.request(type);
    Outcome outcome = rows.outcome();
    Identity identity = Identity.of(request);
    if (type.isResolution()) {
      restoreResolution(request, identity, outcome, locator);
      return;
    }
    Legs legs = rules.legs(request);
    target.apply(outcome, request.amount(), legs);
    requireBalances(legs);
    if (outcome == Outcome.REJECTED_DUPLICATE_TXN) {
      observer.transferRecorded(request, outcome);
      return;
    }
    identities.put(identity.fingerprint(false), locator);
    target.noteDecision(request, rows.id(RowSchema.TRANSFER_ID), outcome, legs);
  }

  private void restoreResolution(
      TransferRequest request, Identity identity, Outcome outcome, long locator) {
    if (outcome.isRejected()) {
      requireBalances(rules.legs(request));
      return;
    }
    Reservation reservation = reservations.find(identity);
    if (reservation == null) {
      throw new IllegalArgumentException("resolves " + identity + ", which is not reserved");
    }
    target.apply(outcome, request.amount(), reservation.legs());
    requireBalances(reservation.legs());
    reservations.remove(identity);
    identities.put(identity.fingerprint(true), locator);
  }

  private void requireBalances(Legs legs) {
    if (legs.knowsDebit()) {
      require(legs.debit(), DR_CREDITS_POSTED, DR_DEBITS_POSTED, DR_AVAILABLE);
    }
    if (legs.knowsCredit()) {
      require(legs.credit(), CR_CREDITS_POSTED, CR_DEBITS_POSTED, CR_AVAILABLE);
    }
  }

  private void require(int account, int creditsField, int debitsField, int availableField) {
    boolean agrees =
        rows.amount(creditsField).equals(accounts.creditsPosted().amount(account))
            && rows.amount(debitsField).equals(accounts.debitsPosted().amount(account))
            && rows.amount(availableField).equals(accounts.available(account, sum).toAmount());
    if (!agrees) {
      throw new IllegalArgumentException(
          "the balances of account "
              + accounts.id(account)
              + " are not those that the history before it leads to");
    }
  }

  private void restoreAccount(RowReader reader) {
    Id128 id = rows.id(RowSchema.ENTITY_ID);
    Optional<Amount> debitLimit = rows.optionalAmount(field(reader, "debit_limit"));
    Optional<Amount> creditLimit = rows.optionalAmount(field(reader, "credit_limit"));
    if (reader.string(RowSchema.CHANGE).equals("created")) {
      int parent = field(reader, "parent_id");
      AccountSpec spec =
          new AccountSpec(
              id,
              reader.intValue(field(reader, "ledger_id")),
              reader.string(field(reader, "currency")),
              reader.intValue(field(reader, "flags")),
              debitLimit,
              creditLimit,
              reader.isPresent(parent) ? Optional.of(rows.id(parent)) : Optional.empty());
      target.addAccount(spec);
      observer.accountCreated(spec);
      return;
    }
    int account = accounts.find(id);
    if (account == AccountTable.NONE) {
      throw new IllegalArgumentException("changes account " + id + ", which was never created");
    }
    accounts.limits(account, debitLimit, creditLimit);
    accounts.state(account, state(reader));
    observer.accountUpdated(id, state(reader));
  }

  private static int field(RowReader reader, String name) {
    return reader.schema().indexOf(name);
  }

  private static EntityState state(RowReader reader) {
    return EntityState.ofText(reader.string(field(reader, "state")));
  }
}
