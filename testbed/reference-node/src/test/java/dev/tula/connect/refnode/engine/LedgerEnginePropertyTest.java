package dev.tula.connect.refnode.engine;

import static dev.tula.connect.refnode.engine.TestLedger.account;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.RecordKind;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.model.RowSchema;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.statistics.Statistics;
import net.jqwik.api.statistics.StatisticsReport;

/** What holds under any sequence of requests. */
class LedgerEnginePropertyTest {
  /** One step: a request with a small id, so that identities and accounts meet often. */
  record Step(
      RequestType type, int ledger, String currency, int txn, int debit, int credit, long amount) {
    TransferRequest request() {
      return new TransferRequest(
          type,
          ledger,
          1,
          currency,
          new Id128(5, txn),
          account(debit),
          account(credit),
          Amount.of(amount),
          OptionalInt.empty());
    }
  }

  /** An identity, with accounts that mostly fit it. */
  private record Way(int txn, int ledger, int debit, int credit) {}

  private static Arbitrary<Way> ways() {
    return Arbitraries.frequencyOf(
        Tuple.of(8, way(1, Arbitraries.integers().between(1, 15), Arbitraries.of(1, 2, 3))),
        Tuple.of(3, way(2, Arbitraries.integers().between(16, 20), Arbitraries.of(10, 11, 12, 13))),
        Tuple.of(6, way(2, Arbitraries.integers().between(21, 30), Arbitraries.of(20, 21, 22, 23))),
        Tuple.of(1, way(1, Arbitraries.integers().between(1, 30), Arbitraries.of(1, 4, 11, 404))),
        Tuple.of(1, way(3, Arbitraries.integers().between(1, 30), Arbitraries.of(1, 2))));
  }

  private static Arbitrary<Way> way(
      int ledger, Arbitrary<Integer> txns, Arbitrary<Integer> accounts) {
    return Combinators.combine(txns, accounts, accounts)
        .as((txn, debit, credit) -> new Way(txn, ledger, debit, credit));
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    return Combinators.combine(
            Arbitraries.frequency(
                Tuple.of(3, RequestType.SINGLE),
                Tuple.of(5, RequestType.RESERVE),
                Tuple.of(3, RequestType.COMMIT),
                Tuple.of(3, RequestType.ROLLBACK),
                Tuple.of(1, RequestType.REJECT)),
            ways(),
            Arbitraries.frequency(Tuple.of(20, "USD"), Tuple.of(1, "EUR")),
            Arbitraries.longs().between(-1, 300))
        .as(
            (type, way, currency, amount) ->
                new Step(
                    type, way.ledger(), currency, way.txn(), way.debit(), way.credit(), amount))
        .list()
        .ofMaxSize(120);
  }

  /** With money to move. */
  private static TestLedger fundedLedger() {
    TestLedger ledger = new TestLedger();
    ledger.transfer(ledger.single(TestLedger.BANK, TestLedger.ALICE, 1000));
    ledger.transfer(ledger.single(TestLedger.BANK, TestLedger.BOB, 1000));
    ledger.transfer(ledger.tiered(TestLedger.CENTRAL, TestLedger.DIRECT, 1000));
    ledger.transfer(ledger.tiered(TestLedger.CENTRAL, TestLedger.OTHER_DIRECT, 1000));
    return ledger;
  }

  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void every_ledger_sums_to_zero_in_every_currency(@ForAll("steps") List<Step> steps) {
    TestLedger ledger = fundedLedger();
    for (Step step : steps) {
      ledger.transfer(step.request());
      assertThat(ledger.engine.checkBalances().balanced()).isTrue();
    }
  }

  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  @StatisticsReport(StatisticsReport.StatisticsReportMode.OFF)
  void a_rejected_transfer_moves_nothing(@ForAll("steps") List<Step> steps) {
    TestLedger ledger = fundedLedger();
    for (Step step : steps) {
      Map<Integer, AccountBalances> before = balances(ledger);
      int records = ledger.store.rows().size();
      Outcome outcome = ledger.transfer(step.request());
      Statistics.collect(outcome.isRejected() ? "rejected" : outcome.text());
      boolean repeated = ledger.store.rows().size() == records;
      if (outcome.isRejected() || repeated) {
        assertThat(balances(ledger)).isEqualTo(before);
      }
    }
    Statistics.coverage(
        coverage -> {
          coverage.check("posted").percentage(share -> share > 3);
          coverage.check("reserved").percentage(share -> share > 3);
          coverage.check("committed").percentage(share -> share > 0.5);
          coverage.check("rolled_back").percentage(share -> share > 0.5);
        });
  }

  private static Map<Integer, AccountBalances> balances(TestLedger ledger) {
    Map<Integer, AccountBalances> all = new TreeMap<>();
    for (int number = 1; number < 30; number++) {
      Optional<AccountBalances> balances = ledger.engine.balances(account(number));
      if (balances.isPresent()) {
        all.put(number, balances.get());
      }
    }
    return all;
  }

  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void rolling_everything_back_restores_what_is_available(@ForAll("steps") List<Step> steps) {
    TestLedger ledger = fundedLedger();
    steps.forEach(step -> ledger.transfer(step.request()));
    Map<Integer, BigInteger> posted = new HashMap<>();
    balances(ledger)
        .forEach(
            (number, b) ->
                posted.put(
                    number,
                    b.creditsPosted().toBigInteger().subtract(b.debitsPosted().toBigInteger())));

    while (ledger.engine.openReservations() > 0) {
      TransferRequest open = ledger.engine.openReservation(0);
      assertThat(ledger.transfer(open.resolution(RequestType.ROLLBACK, OptionalInt.empty())))
          .isEqualTo(Outcome.ROLLED_BACK);
    }

    balances(ledger)
        .forEach(
            (number, b) -> {
              assertThat(b.available().toBigInteger()).isEqualTo(posted.get(number));
              assertThat(b.debitsReserved()).isEqualTo(Amount.ZERO);
              assertThat(b.creditsReserved()).isEqualTo(Amount.ZERO);
            });
  }

  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void no_overdraft_means_none(@ForAll("steps") List<Step> steps) {
    TestLedger ledger = fundedLedger();
    for (Step step : steps) {
      ledger.transfer(step.request());
      for (Id128 guarded : List.of(TestLedger.ALICE, TestLedger.BOB, TestLedger.DIRECT)) {
        assertThat(ledger.available(guarded)).isNotNegative();
      }
    }
  }

  /** A model with nothing but a map: what each identity came to, by the records alone. */
  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void the_records_alone_lead_to_the_engines_balances(@ForAll("steps") List<Step> steps) {
    TestLedger ledger = fundedLedger();
    steps.forEach(step -> ledger.transfer(step.request()));

    Map<String, BigInteger> net = new HashMap<>();
    RowReader reader = new RowReader();
    for (CanonicalRow row : ledger.store.rows()) {
      if (row.kind() != RecordKind.TRANSACTION) {
        continue;
      }
      reader.wrap(row);
      String outcome = reader.string(RowSchema.OUTCOME);
      if (outcome.equals("posted") || outcome.equals("committed")) {
        move(
            net,
            reader.hex(RowSchema.DEBIT_ACCOUNT_ID),
            reader.hex(RowSchema.CREDIT_ACCOUNT_ID),
            reader.amount(RowSchema.AMOUNT_FIELD));
        settle(net, reader);
      }
    }
    balances(ledger)
        .forEach(
            (number, b) ->
                assertThat(
                        b.creditsPosted().toBigInteger().subtract(b.debitsPosted().toBigInteger()))
                    .isEqualTo(net.getOrDefault(account(number).toString(), BigInteger.ZERO)));
  }

  private static void settle(Map<String, BigInteger> net, RowReader reader) {
    int debit = reader.schema().indexOf("debit_settlement_account_id");
    if (!reader.isPresent(debit)
        || reader.hex(debit).equals(reader.hex(RowSchema.DEBIT_ACCOUNT_ID))) {
      return;
    }
    String credit = reader.hex(reader.schema().indexOf("credit_settlement_account_id"));
    move(net, reader.hex(debit), credit, reader.amount(RowSchema.SETTLEMENT_AMOUNT));
  }

  private static void move(
      Map<String, BigInteger> net, String debit, String credit, BigInteger amount) {
    net.merge(debit, amount.negate(), BigInteger::add);
    net.merge(credit, amount, BigInteger::add);
  }

  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void a_restored_engine_goes_on_as_the_first_would_have(
      @ForAll("steps") List<Step> before, @ForAll("steps") List<Step> after) {
    TestLedger first = fundedLedger();
    before.forEach(step -> first.transfer(step.request()));
    List<CanonicalRow> history = List.copyOf(first.store.rows());

    LedgerEngine second = new LedgerEngine(first.store, new EngineObserver() {}, 0);
    for (int i = 0; i < history.size(); i++) {
      second.restore(first.store.type(i), history.get(i), i);
    }

    assertThat(second.openReservations()).isEqualTo(first.engine.openReservations());
    assertThat(second.identityCount()).isEqualTo(first.engine.identityCount());
    for (int number = 1; number < 30; number++) {
      assertThat(second.balances(account(number)))
          .isEqualTo(first.engine.balances(account(number)));
    }
    // Both append to one store: compare what each step comes to, undoing nothing.
    TestLedger twin = fundedLedger();
    before.forEach(step -> twin.transfer(step.request()));
    long batch = 1_000_000;
    for (Step step : after) {
      Outcome expected = twin.transfer(step.request());
      batch++;
      second.beginBatch(batch, batch, batch * 1000, batch * 1000);
      assertThat(second.transfer(step.request())).isEqualTo(expected);
      second.endBatch();
    }
  }
}
