package dev.tula.connect.refnode.engine;

import static dev.tula.connect.refnode.engine.TestLedger.ALICE;
import static dev.tula.connect.refnode.engine.TestLedger.BANK;
import static dev.tula.connect.refnode.engine.TestLedger.BOB;
import static dev.tula.connect.refnode.engine.TestLedger.CENTRAL;
import static dev.tula.connect.refnode.engine.TestLedger.DIRECT;
import static dev.tula.connect.refnode.engine.TestLedger.EURO_BANK;
import static dev.tula.connect.refnode.engine.TestLedger.NEIGHBOUR_POSITION;
import static dev.tula.connect.refnode.engine.TestLedger.OTHER_DIRECT;
import static dev.tula.connect.refnode.engine.TestLedger.OTHER_POSITION;
import static dev.tula.connect.refnode.engine.TestLedger.POSITION;
import static dev.tula.connect.refnode.engine.TestLedger.SPONSORED_POSITION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.model.RecordKind;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.model.RowSchema;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class LedgerEngineTest {
  private final TestLedger ledger = new TestLedger();

  @Test
  void a_posted_transfer_moves_the_amount_and_shows_the_balances_after_it() {
    assertThat(ledger.transfer(ledger.single(BANK, ALICE, 500))).isEqualTo(Outcome.POSTED);

    RowReader row = ledger.store.last();
    assertThat(row.string(RowSchema.KIND)).isEqualTo("single_phase");
    assertThat(row.string(RowSchema.MODE)).isEqualTo("default");
    assertThat(balance(row, "dr_debits_posted")).isEqualTo(500);
    assertThat(balance(row, "dr_available")).isEqualTo(-500);
    assertThat(balance(row, "cr_credits_posted")).isEqualTo(500);
    assertThat(balance(row, "cr_available")).isEqualTo(500);
    assertThat(row.isPresent(RowSchema.SETTLEMENT_ID)).isFalse();
    assertThat(ledger.available(ALICE)).isEqualTo(500);
  }

  private static long balance(RowReader row, String field) {
    return row.amount(row.schema().indexOf(field)).longValueExact();
  }

  @Test
  void a_commit_moves_what_was_reserved_and_keeps_the_transfer_id() {
    ledger.transfer(ledger.single(BANK, ALICE, 500));
    TransferRequest reserve = ledger.reserve(ALICE, BOB, 300);
    assertThat(ledger.transfer(reserve)).isEqualTo(Outcome.RESERVED);
    String transferId = ledger.store.last().hex(RowSchema.TRANSFER_ID);
    assertThat(ledger.available(ALICE)).isEqualTo(200);
    assertThat(ledger.available(BOB)).isZero();

    TransferRequest commit = reserve.resolution(RequestType.COMMIT, OptionalInt.empty());
    assertThat(ledger.transfer(commit)).isEqualTo(Outcome.COMMITTED);

    RowReader row = ledger.store.last();
    assertThat(row.string(RowSchema.KIND)).isEqualTo("resolution");
    assertThat(row.hex(RowSchema.TRANSFER_ID)).isEqualTo(transferId);
    assertThat(row.hex(RowSchema.TXN_ID)).isEqualTo(reserve.txnId().toString());
    assertThat(ledger.available(ALICE)).isEqualTo(200);
    assertThat(ledger.available(BOB)).isEqualTo(300);
    assertThat(ledger.engine.openReservations()).isZero();
  }

  @Test
  void a_rollback_restores_what_was_there_and_carries_the_callers_reason() {
    ledger.transfer(ledger.single(BANK, ALICE, 500));
    AccountBalances before = ledger.balances(ALICE);
    TransferRequest reserve = ledger.reserve(ALICE, BOB, 300);
    ledger.transfer(reserve);

    ledger.transfer(reserve.resolution(RequestType.ROLLBACK, OptionalInt.of(17)));

    assertThat(ledger.store.lastOutcome()).isEqualTo("rolled_back");
    assertThat(ledger.store.last().intValue(RowSchema.REASON_CODE)).isEqualTo(17);
    assertThat(ledger.balances(ALICE)).isEqualTo(before);
    assertThat(ledger.balances(BOB).isIdle()).isTrue();
  }

  @Test
  void a_repeat_with_the_same_body_returns_the_stored_outcome_and_leaves_no_record() {
    TransferRequest paid = ledger.single(BANK, ALICE, 500);
    TransferRequest refused = ledger.single(ALICE, BOB, 10_000);
    TransferRequest reserve = ledger.reserve(ALICE, BOB, 100);
    TransferRequest rollback = reserve.resolution(RequestType.ROLLBACK, OptionalInt.of(3));
    List<TransferRequest> requests = List.of(paid, refused, reserve, rollback);
    List<Outcome> outcomes = requests.stream().map(ledger::transfer).toList();
    assertThat(outcomes)
        .containsExactly(
            Outcome.POSTED,
            Outcome.REJECTED_INSUFFICIENT_FUNDS,
            Outcome.RESERVED,
            Outcome.ROLLED_BACK);
    int records = ledger.store.rows().size();
    ledger.transfer(ledger.single(BANK, ALICE, 1_000_000));

    assertThat(requests.stream().map(ledger::transfer).toList()).isEqualTo(outcomes);
    assertThat(ledger.store.rows()).hasSize(records + 1);
    assertThat(ledger.available(ALICE)).isEqualTo(1_000_500);
  }

  @Test
  void a_repeat_within_one_batch_is_seen() {
    TransferRequest paid = ledger.single(BANK, ALICE, 500);
    ledger.begin();
    ledger.engine.transfer(paid);

    assertThat(ledger.engine.transfer(paid)).isEqualTo(Outcome.POSTED);
    assertThat(ledger.engine.recordsInBatch()).isEqualTo(1);
  }

  @Test
  void the_same_identity_with_another_body_is_rejected_and_the_first_stays_in_force() {
    TransferRequest paid = ledger.single(BANK, ALICE, 500);
    ledger.transfer(paid);
    TransferRequest other =
        new TransferRequest(
            paid.type(),
            paid.ledgerId(),
            paid.sourceId(),
            paid.currency(),
            paid.txnId(),
            paid.debitAccount(),
            paid.creditAccount(),
            Amount.of(501),
            paid.reasonCode());

    assertThat(ledger.transfer(other)).isEqualTo(Outcome.REJECTED_DUPLICATE_TXN);
    assertThat(ledger.store.last().string(RowSchema.KIND)).isEqualTo("rejected");
    assertThat(ledger.transfer(paid)).isEqualTo(Outcome.POSTED);
    assertThat(ledger.available(ALICE)).isEqualTo(500);
  }

  @Test
  void a_second_resolution_of_another_kind_is_rejected() {
    ledger.transfer(ledger.single(BANK, ALICE, 500));
    TransferRequest reserve = ledger.reserve(ALICE, BOB, 300);
    ledger.transfer(reserve);
    ledger.transfer(reserve.resolution(RequestType.COMMIT, OptionalInt.empty()));

    TransferRequest late = reserve.resolution(RequestType.ROLLBACK, OptionalInt.empty());
    assertThat(ledger.transfer(late)).isEqualTo(Outcome.REJECTED_ALREADY_RESOLVED);
    assertThat(ledger.available(BOB)).isEqualTo(300);
  }

  @Test
  void a_resolution_of_nothing_is_rejected() {
    TransferRequest unknown =
        ledger.reserve(BANK, ALICE, 1).resolution(RequestType.COMMIT, OptionalInt.empty());
    assertThat(ledger.transfer(unknown)).isEqualTo(Outcome.REJECTED_UNKNOWN_RESERVATION);
  }

  @Test
  void each_rule_names_its_outcome() {
    TransferRequest good = ledger.single(BANK, ALICE, 5);
    assertThat(ledger.transfer(good.at(9, 1, "USD"))).isEqualTo(Outcome.REJECTED_UNKNOWN_LEDGER);
    assertThat(ledger.transfer(good.at(1, 9, "USD"))).isEqualTo(Outcome.REJECTED_UNKNOWN_SOURCE);
    assertThat(ledger.transfer(good.at(1, 1, "XXX"))).isEqualTo(Outcome.REJECTED_UNKNOWN_CURRENCY);
    assertThat(ledger.transfer(good.at(2, 1, "EUR"))).isEqualTo(Outcome.REJECTED_CURRENCY_MISMATCH);
    assertThat(ledger.transfer(ledger.single(BANK, EURO_BANK, 5)))
        .isEqualTo(Outcome.REJECTED_CURRENCY_MISMATCH);
    assertThat(ledger.transfer(ledger.single(BANK, POSITION, 5)))
        .isEqualTo(Outcome.REJECTED_LEDGER_MISMATCH);
    assertThat(ledger.transfer(ledger.single(BANK, ALICE, 0)))
        .isEqualTo(Outcome.REJECTED_INVALID_AMOUNT);
    assertThat(ledger.transfer(ledger.single(BANK, ALICE, -1)))
        .isEqualTo(Outcome.REJECTED_INVALID_AMOUNT);
    assertThat(ledger.transfer(ledger.single(BANK, BANK, 5)))
        .isEqualTo(Outcome.REJECTED_SAME_ACCOUNT);
    assertThat(ledger.transfer(ledger.single(BANK, TestLedger.account(404), 5)))
        .isEqualTo(Outcome.REJECTED_UNKNOWN_ACCOUNT);
    assertThat(ledger.transfer(ledger.request(RequestType.REJECT, 1, BANK, ALICE, 5)))
        .isEqualTo(Outcome.REJECTED_BY_CALLER);
    assertThat(ledger.available(BANK)).isZero();
  }

  @Test
  void an_unknown_account_has_no_balances_in_the_record_and_the_known_one_has() {
    ledger.transfer(ledger.single(BANK, TestLedger.account(404), 5));

    RowReader row = ledger.store.last();
    assertThat(balance(row, "dr_available")).isZero();
    assertThat(row.isPresent(row.schema().indexOf("cr_credits_posted"))).isFalse();
    assertThat(row.isPresent(row.schema().indexOf("cr_available"))).isFalse();
  }

  @Test
  void limits_hold_for_what_is_posted_and_reserved_together() {
    ledger.begin();
    Id128 limited = TestLedger.account(30);
    ledger.engine.createAccount(
        AccountSpec.of(limited, 1, "USD", 0)
            .withDebitLimit(Amount.of(100))
            .withCreditLimit(Amount.of(50)));
    ledger.end();

    assertThat(ledger.transfer(ledger.single(limited, BANK, 60))).isEqualTo(Outcome.POSTED);
    assertThat(ledger.transfer(ledger.reserve(limited, BANK, 40))).isEqualTo(Outcome.RESERVED);
    assertThat(ledger.transfer(ledger.single(limited, BANK, 1)))
        .isEqualTo(Outcome.REJECTED_DEBIT_LIMIT_EXCEEDED);
    // Balance −60: 110 more would bring it to the credit limit.
    assertThat(ledger.transfer(ledger.reserve(BANK, limited, 100))).isEqualTo(Outcome.RESERVED);
    assertThat(ledger.transfer(ledger.single(BANK, limited, 11)))
        .isEqualTo(Outcome.REJECTED_CREDIT_LIMIT_EXCEEDED);
    assertThat(ledger.transfer(ledger.single(BANK, limited, 10))).isEqualTo(Outcome.POSTED);
  }

  @Test
  void a_total_never_takes_more_than_28_digits() {
    TransferRequest most = ledger.single(BANK, ALICE, 1);
    TransferRequest all =
        new TransferRequest(
            RequestType.SINGLE,
            1,
            1,
            "USD",
            most.txnId(),
            BANK,
            ALICE,
            Amount.MAX,
            OptionalInt.empty());
    assertThat(ledger.transfer(all)).isEqualTo(Outcome.POSTED);
    assertThat(ledger.transfer(ledger.single(BANK, ALICE, 1)))
        .isEqualTo(Outcome.REJECTED_TOTAL_TOO_LARGE);
    assertThat(ledger.engine.checkBalances().balanced()).isTrue();
  }

  @Test
  void a_tiered_transfer_moves_positions_and_settlement_accounts() {
    ledger.transfer(ledger.tiered(CENTRAL, DIRECT, 1000));
    assertThat(ledger.transfer(ledger.tiered(POSITION, OTHER_POSITION, 300)))
        .isEqualTo(Outcome.POSTED);

    RowReader row = ledger.store.last();
    assertThat(row.string(RowSchema.MODE)).isEqualTo("position_settlement");
    assertThat(row.string(row.schema().indexOf("settlement_tier"))).isEqualTo("direct");
    assertThat(row.hex(row.schema().indexOf("debit_settlement_account_id")))
        .isEqualTo(DIRECT.toString());
    assertThat(row.hex(row.schema().indexOf("credit_settlement_account_id")))
        .isEqualTo(OTHER_DIRECT.toString());
    assertThat(row.amount(RowSchema.SETTLEMENT_AMOUNT)).isEqualTo(BigInteger.valueOf(300));
    assertThat(row.intValue(row.schema().indexOf("settlement_cycle"))).isEqualTo(1);
    assertThat(ledger.available(POSITION)).isEqualTo(-300);
    assertThat(ledger.available(OTHER_POSITION)).isEqualTo(300);
    assertThat(ledger.available(DIRECT)).isEqualTo(700);
    assertThat(ledger.available(OTHER_DIRECT)).isEqualTo(300);
  }

  @Test
  void a_sponsored_position_settles_with_its_sponsor_as_indirect() {
    ledger.transfer(ledger.tiered(CENTRAL, DIRECT, 1000));
    ledger.transfer(ledger.tiered(SPONSORED_POSITION, OTHER_POSITION, 300));

    RowReader row = ledger.store.last();
    assertThat(row.string(row.schema().indexOf("settlement_tier"))).isEqualTo("indirect");
    assertThat(row.hex(row.schema().indexOf("debit_settlement_account_id")))
        .isEqualTo(DIRECT.toString());
    assertThat(ledger.available(DIRECT)).isEqualTo(700);
  }

  @Test
  void two_positions_of_one_settlement_account_settle_nothing() {
    assertThat(ledger.transfer(ledger.tiered(POSITION, NEIGHBOUR_POSITION, 300)))
        .isEqualTo(Outcome.POSTED);
    assertThat(ledger.store.last().amount(RowSchema.SETTLEMENT_AMOUNT)).isZero();
    assertThat(ledger.available(DIRECT)).isZero();
  }

  @Test
  void a_settlement_account_without_cover_turns_the_transfer_down() {
    assertThat(ledger.transfer(ledger.tiered(POSITION, OTHER_POSITION, 300)))
        .isEqualTo(Outcome.REJECTED_SETTLEMENT_LIMIT_EXCEEDED);
    assertThat(ledger.store.last().isPresent(RowSchema.SETTLEMENT_ID)).isTrue();
    assertThat(ledger.balances(POSITION).isIdle()).isTrue();
  }

  @Test
  void a_tiered_reserve_holds_the_settlement_too_and_lets_it_go() {
    ledger.transfer(ledger.tiered(CENTRAL, DIRECT, 1000));
    TransferRequest reserve = ledger.request(RequestType.RESERVE, 2, POSITION, OTHER_POSITION, 400);
    ledger.transfer(reserve);
    assertThat(ledger.available(DIRECT)).isEqualTo(600);

    ledger.transfer(reserve.resolution(RequestType.ROLLBACK, OptionalInt.empty()));
    assertThat(ledger.available(DIRECT)).isEqualTo(1000);
    assertThat(ledger.balances(OTHER_DIRECT).isIdle()).isTrue();
  }

  @Test
  void a_frozen_account_takes_part_in_nothing_but_open_reservations() {
    ledger.transfer(ledger.single(BANK, ALICE, 500));
    TransferRequest reserve = ledger.reserve(ALICE, BOB, 100);
    ledger.transfer(reserve);
    ledger.begin();
    ledger.engine.updateAccount(ALICE, Optional.empty(), Optional.empty(), EntityState.SUSPENDED);
    ledger.end();

    assertThat(ledger.transfer(ledger.single(ALICE, BOB, 1)))
        .isEqualTo(Outcome.REJECTED_ACCOUNT_FROZEN);
    assertThat(ledger.transfer(reserve.resolution(RequestType.COMMIT, OptionalInt.empty())))
        .isEqualTo(Outcome.COMMITTED);
  }

  @Test
  void only_an_empty_account_can_be_closed_and_then_takes_nothing() {
    ledger.transfer(ledger.single(BANK, ALICE, 500));
    ledger.begin();
    assertThatThrownBy(() -> ledger.engine.closeAccount(ALICE))
        .isInstanceOf(EngineRefusal.class)
        .hasMessageContaining("balance");
    ledger.engine.closeAccount(BOB);
    ledger.end();

    RowReader row = ledger.store.last();
    assertThat(row.schema().kind()).isEqualTo(RecordKind.ACCOUNT_CHANGE);
    assertThat(row.string(RowSchema.CHANGE)).isEqualTo("closed");
    assertThat(ledger.transfer(ledger.single(BANK, BOB, 1)))
        .isEqualTo(Outcome.REJECTED_ACCOUNT_CLOSED);
  }

  @Test
  void changes_that_make_no_sense_are_refused_and_leave_no_record() {
    ledger.begin();
    int before = ledger.store.rows().size();
    assertThatThrownBy(() -> ledger.engine.createAccount(AccountSpec.of(ALICE, 1, "USD", 0)))
        .hasMessageContaining("exists already");
    assertThatThrownBy(
            () -> ledger.engine.createAccount(AccountSpec.of(TestLedger.account(50), 1, "JPY", 0)))
        .hasMessageContaining("no currency JPY");
    assertThatThrownBy(
            () ->
                ledger.engine.createAccount(
                    AccountSpec.of(TestLedger.account(50), 1, "USD", 0).withParent(ALICE)))
        .hasMessageContaining("settlement account");
    assertThatThrownBy(
            () -> ledger.engine.putLedger(1, "x", LedgerMode.POSITION_SETTLEMENT, List.of("USD")))
        .hasMessageContaining("stays so");
    assertThatThrownBy(() -> ledger.engine.putLedger(5, "x", LedgerMode.DEFAULT, List.of("XXX")))
        .hasMessageContaining("XXX");
    assertThatThrownBy(() -> ledger.engine.putCurrency("BTC", 19, EntityState.ACTIVE))
        .hasMessageContaining("exponent");
    assertThat(ledger.store.rows()).hasSize(before);
    assertThat(ledger.engine.ledgerMode(5)).isEmpty();
  }

  @Test
  void a_batch_takes_8190_records_and_no_more() {
    ledger.begin();
    for (int i = 0; i < 8190; i++) {
      ledger.engine.transfer(ledger.single(BANK, ALICE, 1));
    }
    assertThatThrownBy(() -> ledger.engine.transfer(ledger.single(BANK, ALICE, 1)))
        .isInstanceOf(EngineRefusal.class)
        .hasMessageContaining("full");
    assertThat(ledger.available(ALICE)).isEqualTo(8190);
    ledger.end();
    ledger.begin();
    assertThatThrownBy(() -> ledger.engine.putSource(3, "x".repeat(256), EntityState.ACTIVE))
        .hasMessageContaining("longer than 255");
  }

  @Test
  void records_of_a_batch_share_the_commit_time_and_none_is_timed_after_it() {
    int first = ledger.store.rows().size();
    ledger.begin();
    for (int i = 0; i < 700; i++) {
      ledger.engine.transfer(ledger.single(BANK, ALICE, 1));
    }
    ledger.end();

    List<Long> recordedAt =
        ledger.store.rows().stream().skip(first).map(row -> row.recordedAtMicros()).toList();
    assertThat(recordedAt).hasSize(700).containsOnly(recordedAt.get(0));
    assertThat(ledger.store.rows())
        .allMatch(row -> row.timestampMicros() <= row.recordedAtMicros());
  }
}
