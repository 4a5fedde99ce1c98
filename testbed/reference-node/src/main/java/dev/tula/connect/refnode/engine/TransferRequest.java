package dev.tula.connect.refnode.engine;

import java.util.Objects;
import java.util.OptionalInt;

/**
 * A request to move money, or to settle an earlier one. Its identity is {@code (ledger, source,
 * currency, txnId)}; a resolution has the identity of the reserve that it settles, and its accounts
 * and amount are then the reserve's, whatever it says itself.
 *
 * @param type what is asked for
 * @param ledgerId the ledger
 * @param sourceId who asks
 * @param currency the currency's code
 * @param txnId the caller's own id
 * @param debitAccount where the money comes from
 * @param creditAccount where it goes
 * @param amount minor units
 * @param reasonCode the caller's reason, for a rollback or a rejection
 */
public record TransferRequest(
    RequestType type,
    int ledgerId,
    int sourceId,
    String currency,
    Id128 txnId,
    Id128 debitAccount,
    Id128 creditAccount,
    Amount amount,
    OptionalInt reasonCode) {

  /** The longest currency code. */
  public static final int MAX_CURRENCY_LENGTH = 16;

  /**
   * Checks that the parts are there.
   *
   * @throws IllegalArgumentException if the currency's code is empty or too long
   */
  public TransferRequest {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(currency, "currency");
    Objects.requireNonNull(txnId, "txnId");
    Objects.requireNonNull(debitAccount, "debitAccount");
    Objects.requireNonNull(creditAccount, "creditAccount");
    Objects.requireNonNull(amount, "amount");
    Objects.requireNonNull(reasonCode, "reasonCode");
    if (currency.isEmpty() || currency.length() > MAX_CURRENCY_LENGTH) {
      throw new IllegalArgumentException(
          "currency \"" + currency + "\" is not of 1 to " + MAX_CURRENCY_LENGTH + " characters");
    }
  }

  /** The same on another ledger, from another source, or in another currency. */
  public TransferRequest at(int otherLedgerId, int otherSourceId, String otherCurrency) {
    return new TransferRequest(
        type,
        otherLedgerId,
        otherSourceId,
        otherCurrency,
        txnId,
        debitAccount,
        creditAccount,
        amount,
        reasonCode);
  }

  /** Settles the reserve of the same identity. */
  public TransferRequest resolution(RequestType how, OptionalInt reason) {
    if (!how.isResolution()) {
      throw new IllegalArgumentException(how + " is not a resolution");
    }
    return new TransferRequest(
        how, ledgerId, sourceId, currency, txnId, debitAccount, creditAccount, amount, reason);
  }
}
