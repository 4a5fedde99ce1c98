package dev.tula.connect.refnode.engine;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.model.RowSchema;
import dev.tula.connect.refnode.engine.RecordStore.StoredRecord;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalInt;

/** Reads the engine's own records back. Not thread-safe. */
final class StoredRows {
  private final RowReader reader = new RowReader();

  RowReader wrap(CanonicalRow row) {
    return reader.wrap(row);
  }

  boolean hasIdentity(StoredRecord stored, TransferRequest request) {
    wrap(stored.row());
    return reader.intValue(RowSchema.LEDGER_ID) == request.ledgerId()
        && reader.intValue(RowSchema.SOURCE_ID) == request.sourceId()
        && id(RowSchema.TXN_ID).equals(request.txnId())
        && reader.string(RowSchema.CURRENCY).equals(request.currency());
  }

  /** Whether the request behind a record said the same; a resolution's accounts don't count. */
  boolean isSameBody(TransferRequest request, StoredRecord stored) {
    wrap(stored.row());
    if (stored.requestType() != request.type() || !reasonCode().equals(request.reasonCode())) {
      return false;
    }
    return request.type().isResolution()
        || id(RowSchema.DEBIT_ACCOUNT_ID).equals(request.debitAccount())
            && id(RowSchema.CREDIT_ACCOUNT_ID).equals(request.creditAccount())
            && amount(RowSchema.AMOUNT_FIELD).equals(request.amount());
  }

  Outcome outcome(StoredRecord stored) {
    wrap(stored.row());
    return outcome();
  }

  Outcome outcome() {
    return Outcome.ofText(reader.string(RowSchema.OUTCOME));
  }

  TransferRequest request(RequestType type) {
    return new TransferRequest(
        type,
        reader.intValue(RowSchema.LEDGER_ID),
        reader.intValue(RowSchema.SOURCE_ID),
        reader.string(RowSchema.CURRENCY),
        id(RowSchema.TXN_ID),
        id(RowSchema.DEBIT_ACCOUNT_ID),
        id(RowSchema.CREDIT_ACCOUNT_ID),
        amount(RowSchema.AMOUNT_FIELD),
        reasonCode());
  }

  Id128 id(int field) {
    ByteBuffer bytes = ByteBuffer.wrap(reader.array(), reader.valueOffset(field), 16);
    return new Id128(bytes.getLong(), bytes.getLong());
  }

  Amount amount(int field) {
    return new Amount(reader.amountHigh(field), reader.amountLow(field));
  }

  Optional<Amount> optionalAmount(int field) {
    return reader.isPresent(field) ? Optional.of(amount(field)) : Optional.empty();
  }

  private OptionalInt reasonCode() {
    return reader.isPresent(RowSchema.REASON_CODE)
        ? OptionalInt.of(reader.intValue(RowSchema.REASON_CODE))
        : OptionalInt.empty();
  }
}
