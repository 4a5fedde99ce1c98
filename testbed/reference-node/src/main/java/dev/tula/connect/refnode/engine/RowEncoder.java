package dev.tula.connect.refnode.engine;

import dev.tula.connect.model.RecordKind;
import dev.tula.connect.model.RowWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Encodes the engine's records: transactions in full, with the digest left absent. Not thread-safe.
 */
final class RowEncoder {
  private static final byte[] STREAM = utf8("stream");
  private static final byte[] DIRECT = utf8("direct");
  private static final byte[] INDIRECT = utf8("indirect");

  // The bytes before reason_code but for the four strings: row header 2, the first five fields 41,
  // five ids and amounts of 17, two ints of 5, and 5 for the length and presence of each string.
  private static final int BEFORE_REASON = 2 + 41 + 5 * 17 + 2 * 5 + 4 * 5;
  private static final int BALANCES_OF_ONE_SIDE = 3;
  private static final int PRESENT_AMOUNT = 17;
  private static final int ABSENT = 1;

  private final RowWriter writer = new RowWriter();
  private final AccountTable accounts;
  private final Sum sum = new Sum();
  private int length;
  private int tailAt;
  private int reasonAt;

  RowEncoder(AccountTable accounts) {
    this.accounts = accounts;
  }

  byte[] buffer() {
    return writer.buffer();
  }

  int length() {
    return length;
  }

  int tailAt() {
    return tailAt;
  }

  int reasonAt() {
    return reasonAt;
  }

  /** The place and time of a record. */
  record Stamp(
      long globalBatchSeq,
      long batchSeq,
      int arrayIndex,
      long timestampMicros,
      long recordedAtMicros) {}

  /** How a tiered transfer settles. */
  record Settlement(Id128 id, int cycle) {}

  void transaction(
      Stamp stamp,
      TransferRequest request,
      Id128 transferId,
      byte[] kind,
      LedgerMode mode,
      Outcome outcome,
      Legs legs,
      Settlement settlement) {
    begin(RecordKind.TRANSACTION, stamp);
    byte[] currency = utf8(request.currency());
    putId(transferId);
    putId(request.txnId());
    writer.putInt(request.ledgerId()).putInt(request.sourceId()).putString(currency);
    putId(request.debitAccount());
    putId(request.creditAccount());
    putAmount(request.amount());
    writer.putString(kind).putString(mode.utf8()).putString(outcome.utf8());
    reasonAt =
        BEFORE_REASON + currency.length + kind.length + mode.utf8().length + outcome.utf8().length;
    putOptional(request.reasonCode());
    putSettlement(request, legs, settlement);
    putBalances(legs);
    length = writer.absent().end();
    tailAt = length - ABSENT - balanceBytes(legs);
  }

  private void putSettlement(TransferRequest request, Legs legs, Settlement settlement) {
    if (!legs.settles()) {
      writer.absent().absent().absent().absent().absent().absent();
      return;
    }
    putId(settlement.id());
    writer.putInt(settlement.cycle()).putString(legs.indirect() ? INDIRECT : DIRECT);
    putId(accounts.id(legs.debitSettlement()));
    putId(accounts.id(legs.creditSettlement()));
    boolean within = legs.debitSettlement() == legs.creditSettlement();
    putAmount(within ? Amount.ZERO : request.amount());
  }

  private void putBalances(Legs legs) {
    putPosted(legs.debit());
    putPosted(legs.credit());
    putAvailable(legs.debit());
    putAvailable(legs.credit());
  }

  private void putPosted(int account) {
    if (account == AccountTable.NONE) {
      writer.absent().absent();
      return;
    }
    putAmount(accounts.creditsPosted(), account);
    putAmount(accounts.debitsPosted(), account);
  }

  private void putAvailable(int account) {
    if (account == AccountTable.NONE) {
      writer.absent();
      return;
    }
    accounts.available(account, sum);
    writer.putAmount(sum.high(), sum.low());
  }

  private static int balanceBytes(Legs legs) {
    return BALANCES_OF_ONE_SIDE
        * ((legs.knowsDebit() ? PRESENT_AMOUNT : ABSENT)
            + (legs.knowsCredit() ? PRESENT_AMOUNT : ABSENT));
  }

  void account(Stamp stamp, String change, int account) {
    begin(RecordKind.ACCOUNT_CHANGE, stamp);
    putId(accounts.id(account));
    putChange(change);
    Book book = accounts.book(account);
    writer
        .putInt(book.ledgerId())
        .putString(book.currency().utf8())
        .putInt(accounts.flags(account));
    putOptional(accounts.debitLimit(account));
    putOptional(accounts.creditLimit(account));
    if (accounts.parent(account) == AccountTable.NONE) {
      writer.absent();
    } else {
      putId(accounts.id(accounts.parent(account)));
    }
    writer.putString(accounts.state(account).text());
    endChange();
  }

  void ledger(Stamp stamp, String change, Ledger ledger) {
    begin(RecordKind.LEDGER_CHANGE, stamp);
    writer.putString(Integer.toString(ledger.id()));
    putChange(change);
    List<String> currencies = ledger.currencies();
    writer.putString(ledger.name()).putString(ledger.mode().utf8()).putStringList(currencies);
    endChange();
  }

  void currency(Stamp stamp, String change, Currency currency) {
    begin(RecordKind.CURRENCY_CHANGE, stamp);
    writer.putString(currency.utf8());
    putChange(change);
    writer.putInt(currency.exponent()).putString(currency.state().text());
    endChange();
  }

  void source(Stamp stamp, String change, Source source) {
    begin(RecordKind.SOURCE_CHANGE, stamp);
    writer.putString(Integer.toString(source.id()));
    putChange(change);
    writer.putString(source.name()).putString(source.state().text());
    endChange();
  }

  void member(Stamp stamp, String change, ClusterMember member) {
    begin(RecordKind.CLUSTER_CHANGE, stamp);
    writer.putString(member.id());
    putChange(change);
    writer.putString(member.address()).putString(member.role()).putLong(member.term());
    endChange();
  }

  private void begin(RecordKind kind, Stamp stamp) {
    writer
        .begin(kind)
        .putLong(stamp.globalBatchSeq())
        .putLong(stamp.batchSeq())
        .putInt(stamp.arrayIndex())
        .putTimestamp(stamp.timestampMicros())
        .putTimestamp(stamp.recordedAtMicros());
  }

  private void putChange(String change) {
    writer.putString(change).putString(STREAM);
  }

  private void endChange() {
    length = writer.end();
    tailAt = 0;
    reasonAt = 0;
  }

  private void putId(Id128 id) {
    writer.putId(id.high(), id.low());
  }

  private void putAmount(Amount amount) {
    writer.putAmount(amount.high(), amount.low());
  }

  private void putAmount(AmountColumn column, int account) {
    writer.putAmount(column.high(account), column.low(account));
  }

  private void putOptional(OptionalInt value) {
    if (value.isPresent()) {
      writer.putInt(value.getAsInt());
    } else {
      writer.absent();
    }
  }

  private void putOptional(Optional<Amount> value) {
    if (value.isPresent()) {
      putAmount(value.get());
    } else {
      writer.absent();
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
