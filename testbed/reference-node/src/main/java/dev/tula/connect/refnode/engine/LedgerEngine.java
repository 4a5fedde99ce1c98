package dev.tula.connect.refnode.engine;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.refnode.engine.RecordStore.StoredRecord;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.LongPredicate;

/**
 * A double-entry ledger. Changes come in batches: {@link #beginBatch}, any number of transfers and
 * metadata changes, {@link #endBatch}. Each leaves one record in the {@link RecordStore}, in order;
 * a repeat of a transfer that was decided before leaves none.
 *
 * <p>What holds after every record: each ledger sums to zero in each currency; a rejected transfer
 * moved nothing; the record shows the balances as they are after it.
 *
 * <p>Not thread-safe. Nothing here reads a clock or a random number: the same calls lead to the
 * same bytes. A history is replayed with {@link #restore} before the first batch.
 */
public final class LedgerEngine {
  /** The most records in a batch. */
  public static final int MAX_BATCH_RECORDS = 8190;

  /** The most open reservations at one time. */
  public static final int MAX_OPEN_RESERVATIONS = 1_000_000;

  /** A settlement cycle's length, µs: five minutes. */
  public static final long SETTLEMENT_CYCLE_MICROS = 300_000_000L;

  private static final byte[] SINGLE_PHASE = utf8("single_phase");
  private static final byte[] RESERVE = utf8("reserve");
  private static final byte[] RESOLUTION = utf8("resolution");
  private static final byte[] REJECTED = utf8("rejected");

  private final RecordStore store;
  private final EngineObserver observer;
  private final long epochMicros;
  private final AccountTable accounts = new AccountTable();
  private final Registry registry = new Registry();
  private final TransferRules rules = new TransferRules(accounts, registry);
  private final IdentityIndex identities = new IdentityIndex();
  private final Reservations reservations = new Reservations();
  private final RowEncoder encoder = new RowEncoder(accounts);
  private final StoredRows storedRows = new StoredRows();
  private final HistoryRestorer restorer;
  private final LongPredicate isProbed = this::isProbed;

  private TransferRequest probe;
  private boolean probeResolution;
  private StoredRecord probed;

  private boolean inBatch;
  private long globalBatchSeq;
  private long batchSeq;
  private long openMicros;
  private long commitMicros;
  private int nextIndex;

  /**
   * An empty ledger.
   *
   * @param epochMicros when settlement cycle 1 began, µs since the epoch
   */
  public LedgerEngine(RecordStore store, EngineObserver observer, long epochMicros) {
    this.store = store;
    this.observer = observer;
    this.epochMicros = epochMicros;
    this.restorer =
        new HistoryRestorer(
            accounts, registry, rules, identities, reservations, observer, restorerTarget());
  }

  private HistoryRestorer.Target restorerTarget() {
    return new HistoryRestorer.Target() {
      @Override
      public void apply(Outcome outcome, Amount amount, Legs legs) {
        LedgerEngine.this.apply(outcome, amount, legs);
      }

      @Override
      public void noteDecision(
          TransferRequest request, Id128 transferId, Outcome outcome, Legs legs) {
        LedgerEngine.this.noteDecision(request, transferId, outcome, legs);
      }

      @Override
      public int addAccount(AccountSpec spec) {
        return LedgerEngine.this.addAccount(spec);
      }
    };
  }

  /**
   * Opens a batch.
   *
   * @param gbs its number
   * @param logSeq its {@code batch_seq}
   * @param openedMicros the engine's time for its first record
   * @param committedMicros the commit time of every record in it, not before the first
   */
  public void beginBatch(long gbs, long logSeq, long openedMicros, long committedMicros) {
    if (inBatch) {
      throw new IllegalStateException("batch " + globalBatchSeq + " is still open");
    }
    if (openedMicros > committedMicros) {
      throw new IllegalArgumentException(
          "batch " + gbs + " would be committed before it was opened");
    }
    inBatch = true;
    globalBatchSeq = gbs;
    batchSeq = logSeq;
    openMicros = openedMicros;
    commitMicros = committedMicros;
    nextIndex = 0;
  }

  /** The number of records in the open batch. */
  public int recordsInBatch() {
    return nextIndex;
  }

  /** Closes the batch. */
  public void endBatch() {
    requireBatch();
    inBatch = false;
  }

  /**
   * Decides a transfer and records the decision. A repeat of an earlier request, same identity and
   * same body, is answered with the earlier outcome and leaves no record.
   *
   * @throws EngineRefusal if the batch is full, as from every other change
   */
  public Outcome transfer(TransferRequest request) {
    requireRoom();
    if (request.type().isResolution()) {
      return resolve(request);
    }
    long fingerprint = Identity.of(request).fingerprint(false);
    StoredRecord earlier = find(fingerprint, request, false);
    if (earlier != null) {
      return repeat(request, earlier, Outcome.REJECTED_DUPLICATE_TXN);
    }
    Legs legs = rules.legs(request);
    Outcome outcome = rules.decide(request, legs);
    if (outcome == Outcome.RESERVED && reservations.size() >= MAX_OPEN_RESERVATIONS) {
      outcome = Outcome.REJECTED_TOO_MANY_RESERVATIONS;
    }
    Id128 transferId = ownTransferId();
    apply(outcome, request.amount(), legs);
    long locator = record(request, transferId, outcome, legs);
    identities.put(fingerprint, locator);
    noteDecision(request, transferId, outcome, legs);
    return outcome;
  }

  private void noteDecision(TransferRequest request, Id128 transferId, Outcome outcome, Legs legs) {
    if (outcome == Outcome.RESERVED) {
      reservations.add(Identity.of(request), new Reservation(request, transferId, legs));
    }
    observer.transferRecorded(request, outcome);
  }

  private Outcome resolve(TransferRequest request) {
    Identity identity = Identity.of(request);
    Reservation reservation = reservations.find(identity);
    if (reservation == null) {
      StoredRecord earlier = find(identity.fingerprint(true), request, true);
      return earlier != null
          ? repeat(request, earlier, Outcome.REJECTED_ALREADY_RESOLVED)
          : reject(request, Outcome.REJECTED_UNKNOWN_RESERVATION);
    }
    Outcome outcome =
        request.type() == RequestType.COMMIT ? Outcome.COMMITTED : Outcome.ROLLED_BACK;
    TransferRequest settled =
        reservation.request().resolution(request.type(), request.reasonCode());
    apply(outcome, settled.amount(), reservation.legs());
    long locator = record(settled, reservation.transferId(), outcome, reservation.legs());
    reservations.remove(identity);
    identities.put(identity.fingerprint(true), locator);
    return outcome;
  }

  private Outcome repeat(TransferRequest request, StoredRecord earlier, Outcome otherwise) {
    return storedRows.isSameBody(request, earlier)
        ? storedRows.outcome(earlier)
        : reject(request, otherwise);
  }

  private Outcome reject(TransferRequest request, Outcome outcome) {
    record(request, ownTransferId(), outcome, rules.legs(request));
    if (!request.type().isResolution()) {
      observer.transferRecorded(request, outcome);
    }
    return outcome;
  }

  private Id128 ownTransferId() {
    return new Id128(globalBatchSeq, nextIndex);
  }

  private void apply(Outcome outcome, Amount amount, Legs legs) {
    switch (outcome) {
      case POSTED -> post(amount, legs);
      case RESERVED -> {
        accounts.hold(legs.debit(), legs.credit(), amount);
        if (legs.movesSettlement()) {
          accounts.hold(legs.debitSettlement(), legs.creditSettlement(), amount);
        }
      }
      case COMMITTED -> {
        release(amount, legs);
        post(amount, legs);
      }
      case ROLLED_BACK -> release(amount, legs);
      default -> {
        // A rejection moves nothing.
      }
    }
  }

  private void post(Amount amount, Legs legs) {
    accounts.post(legs.debit(), legs.credit(), amount);
    if (legs.movesSettlement()) {
      accounts.post(legs.debitSettlement(), legs.creditSettlement(), amount);
    }
  }

  private void release(Amount amount, Legs legs) {
    accounts.release(legs.debit(), legs.credit(), amount);
    if (legs.movesSettlement()) {
      accounts.release(legs.debitSettlement(), legs.creditSettlement(), amount);
    }
  }

  private long record(TransferRequest request, Id128 transferId, Outcome outcome, Legs legs) {
    Ledger ledger = registry.ledger(request.ledgerId());
    LedgerMode mode = ledger == null ? LedgerMode.DEFAULT : ledger.mode();
    encoder.transaction(
        stamp(),
        request,
        transferId,
        kindOf(request.type(), outcome),
        mode,
        outcome,
        legs,
        legs.settles() ? settlement(request, legs) : null);
    return append(request.type().code());
  }

  private static byte[] kindOf(RequestType type, Outcome outcome) {
    if (outcome.isRejected()) {
      return REJECTED;
    }
    return switch (type) {
      case SINGLE -> SINGLE_PHASE;
      case RESERVE -> RESERVE;
      case COMMIT, ROLLBACK -> RESOLUTION;
      case REJECT -> throw new IllegalStateException("a rejection by the caller was " + outcome);
    };
  }

  /** One obligation per cycle, direction and pair of settlement accounts, so one id for each. */
  private RowEncoder.Settlement settlement(TransferRequest request, Legs legs) {
    int cycle = (int) ((commitMicros - epochMicros) / SETTLEMENT_CYCLE_MICROS) + 1;
    long debit = Mix.mix(legs.debitSettlement() + ((long) request.ledgerId() << 32));
    long pair = Mix.mix(debit ^ legs.creditSettlement());
    return new RowEncoder.Settlement(new Id128(cycle, pair), cycle);
  }

  private RowEncoder.Stamp stamp() {
    long timestamp = Math.min(commitMicros, openMicros + nextIndex);
    return new RowEncoder.Stamp(globalBatchSeq, batchSeq, nextIndex, timestamp, commitMicros);
  }

  private long append(byte requestType) {
    nextIndex++;
    return store.append(
        encoder.buffer(), encoder.length(), encoder.tailAt(), encoder.reasonAt(), requestType);
  }

  private StoredRecord find(long fingerprint, TransferRequest request, boolean resolution) {
    probe = request;
    probeResolution = resolution;
    probed = null;
    return identities.find(fingerprint, isProbed) == IdentityIndex.NOT_FOUND ? null : probed;
  }

  private boolean isProbed(long locator) {
    probed = store.read(locator);
    return probed.requestType().isResolution() == probeResolution
        && storedRows.hasIdentity(probed, probe);
  }

  // Metadata

  /**
   * Creates or updates a currency.
   *
   * @throws EngineRefusal if its exponent is not 0 to 18 or its state is closed
   */
  public void putCurrency(String code, int exponent, EntityState state) {
    requireRoom();
    boolean created = registry.putCurrency(code, exponent, state);
    encoder.currency(stamp(), change(created), registry.currency(code));
    append((byte) 0);
  }

  /**
   * Creates a ledger, renames it, or adds currencies to it.
   *
   * @throws EngineRefusal if a currency does not exist, or the mode is not the one it has
   */
  public void putLedger(int id, String name, LedgerMode mode, List<String> currencies) {
    requireRoom();
    boolean created = registry.putLedger(id, name, mode, currencies);
    encoder.ledger(stamp(), change(created), registry.ledger(id));
    append((byte) 0);
  }

  /**
   * Creates or updates a source of transfers.
   *
   * @throws EngineRefusal if its state is closed
   */
  public void putSource(int id, String name, EntityState state) {
    requireRoom();
    boolean created = registry.putSource(id, name, state);
    encoder.source(stamp(), change(created), registry.source(id));
    append((byte) 0);
  }

  /** Records a member of the cluster. */
  public void putMember(ClusterMember member) {
    requireRoom();
    encoder.member(stamp(), change(registry.putMember(member)), member);
    append((byte) 0);
  }

  private static String change(boolean created) {
    return created ? "created" : "updated";
  }

  /**
   * Creates an account.
   *
   * @throws EngineRefusal if it exists, or its ledger, currency or parent does not fit
   */
  public void createAccount(AccountSpec spec) {
    requireRoom();
    int account = addAccount(spec);
    encoder.account(stamp(), "created", account);
    append((byte) 0);
    observer.accountCreated(spec);
  }

  private int addAccount(AccountSpec spec) {
    if (accounts.find(spec.id()) != AccountTable.NONE) {
      throw new EngineRefusal("account " + spec.id() + " exists already");
    }
    Ledger ledger = registry.ledger(spec.ledgerId());
    Book book = ledger == null ? null : ledger.book(spec.currency());
    if (book == null || !AccountFlags.areKnown(spec.flags())) {
      throw new EngineRefusal(
          "account "
              + spec.id()
              + ": ledger "
              + spec.ledgerId()
              + " has no currency "
              + spec.currency()
              + ", or flags "
              + spec.flags()
              + " are not known");
    }
    requireNotNegative(spec.id(), spec.debitLimit());
    requireNotNegative(spec.id(), spec.creditLimit());
    int account = accounts.add(spec.id(), book, spec.flags(), parentFor(spec, book));
    accounts.limits(account, spec.debitLimit(), spec.creditLimit());
    return account;
  }

  private static void requireNotNegative(Id128 id, Optional<Amount> limit) {
    if (limit.isPresent() && limit.get().compareTo(Amount.ZERO) < 0) {
      throw new EngineRefusal("account " + id + ": limit " + limit.get() + " is below zero");
    }
  }

  private int parentFor(AccountSpec spec, Book book) {
    if (spec.parent().isEmpty()) {
      return AccountTable.NONE;
    }
    int parent = accounts.find(spec.parent().get());
    boolean fits =
        parent != AccountTable.NONE
            && accounts.has(parent, AccountFlags.SETTLEMENT)
            && accounts.book(parent) == book;
    boolean tooDeep =
        fits
            && (spec.flags() & AccountFlags.SETTLEMENT) != 0
            && accounts.parent(parent) != AccountTable.NONE;
    if (!fits || tooDeep) {
      throw new EngineRefusal(
          "account "
              + spec.id()
              + ": parent "
              + spec.parent().get()
              + " must be a settlement account of"
              + " the same ledger and currency, with one sponsor above it at most");
    }
    return parent;
  }

  /**
   * Changes an account's limits, or freezes and thaws it.
   *
   * @param state active or suspended
   * @throws EngineRefusal if it does not exist or is closed
   */
  public void updateAccount(
      Id128 id, Optional<Amount> debitLimit, Optional<Amount> creditLimit, EntityState state) {
    requireRoom();
    int account = openAccount(id);
    if (state == EntityState.CLOSED) {
      throw new EngineRefusal("account " + id + ": an update does not close an account");
    }
    requireNotNegative(id, debitLimit);
    requireNotNegative(id, creditLimit);
    accounts.limits(account, debitLimit, creditLimit);
    accounts.state(account, state);
    encoder.account(stamp(), "updated", account);
    append((byte) 0);
    observer.accountUpdated(id, state);
  }

  /**
   * Closes an account.
   *
   * @throws EngineRefusal if it does not exist, is closed, or has a balance or a hold
   */
  public void closeAccount(Id128 id) {
    requireRoom();
    int account = openAccount(id);
    if (!accounts.isIdle(account)) {
      throw new EngineRefusal("account " + id + " has a balance or a hold and can't be closed");
    }
    accounts.state(account, EntityState.CLOSED);
    encoder.account(stamp(), "closed", account);
    append((byte) 0);
    observer.accountUpdated(id, EntityState.CLOSED);
  }

  private int openAccount(Id128 id) {
    int account = accounts.find(id);
    if (account == AccountTable.NONE || accounts.state(account) == EntityState.CLOSED) {
      throw new EngineRefusal("account " + id + " does not exist or is closed");
    }
    return account;
  }

  private void requireBatch() {
    if (!inBatch) {
      throw new IllegalStateException("no batch is open");
    }
  }

  private void requireRoom() {
    requireBatch();
    if (nextIndex >= MAX_BATCH_RECORDS) {
      throw new EngineRefusal(
          "batch " + globalBatchSeq + " is full with " + nextIndex + " records");
    }
  }

  // Looking

  /** The number of open reservations. */
  public int openReservations() {
    return reservations.size();
  }

  /** The request behind an open reservation, by number from 0. */
  public TransferRequest openReservation(int number) {
    return reservations.get(number).request();
  }

  /** The number of accounts ever created. */
  public int accountCount() {
    return accounts.size();
  }

  /** The number of identities on record, resolutions counted apart. */
  public long identityCount() {
    return identities.size();
  }

  /** A ledger's mode, if it exists. */
  public Optional<LedgerMode> ledgerMode(int id) {
    return Optional.ofNullable(registry.ledger(id)).map(Ledger::mode);
  }

  /** Whether a ledger exists and has that currency. */
  public boolean hasBook(int ledgerId, String currency) {
    Ledger ledger = registry.ledger(ledgerId);
    return ledger != null && ledger.book(currency) != null;
  }

  /** A currency's state, if it exists. */
  public Optional<EntityState> currencyState(String code) {
    return Optional.ofNullable(registry.currency(code)).map(Currency::state);
  }

  /** Whether a source exists. */
  public boolean hasSource(int id) {
    return registry.source(id) != null;
  }

  /** An account's balances, if it exists. */
  public Optional<AccountBalances> balances(Id128 id) {
    int account = accounts.find(id);
    if (account == AccountTable.NONE) {
      return Optional.empty();
    }
    return Optional.of(
        new AccountBalances(
            accounts.creditsPosted().amount(account),
            accounts.debitsPosted().amount(account),
            accounts.creditsReserved().amount(account),
            accounts.debitsReserved().amount(account),
            accounts.available(account, new Sum()).toAmount(),
            accounts.state(account)));
  }

  /** Counts over every account. Takes time in proportion to their number. */
  public BalanceCheck checkBalances() {
    return BalanceCount.of(registry, accounts);
  }

  /**
   * Replays a record of a stored history, in order, and checks that it leads to the balances that
   * the record shows.
   *
   * @throws IllegalStateException naming the position, if it does not
   */
  public void restore(byte requestType, CanonicalRow row, long locator) {
    if (inBatch) {
      throw new IllegalStateException("a history can't be replayed into an open batch");
    }
    try {
      restorer.restore(requestType, row, locator);
    } catch (IllegalArgumentException | EngineRefusal e) {
      throw new IllegalStateException("record at " + row.position() + ": " + e.getMessage(), e);
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
