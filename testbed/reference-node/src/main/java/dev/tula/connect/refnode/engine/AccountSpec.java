package dev.tula.connect.refnode.engine;

import java.util.Objects;
import java.util.Optional;

/**
 * An account as it is to be created.
 *
 * @param id its id
 * @param ledgerId its ledger
 * @param currency its currency's code, one of the ledger's
 * @param flags {@link AccountFlags}
 * @param debitLimit how far below zero the available amount may fall
 * @param creditLimit how far above zero the balance may rise
 * @param parent the settlement account behind it
 */
public record AccountSpec(
    Id128 id,
    int ledgerId,
    String currency,
    int flags,
    Optional<Amount> debitLimit,
    Optional<Amount> creditLimit,
    Optional<Id128> parent) {

  /** Checks that the parts are there. */
  public AccountSpec {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(currency, "currency");
    Objects.requireNonNull(debitLimit, "debitLimit");
    Objects.requireNonNull(creditLimit, "creditLimit");
    Objects.requireNonNull(parent, "parent");
  }

  /** Without limits and without a parent. */
  public static AccountSpec of(Id128 id, int ledgerId, String currency, int flags) {
    return new AccountSpec(
        id, ledgerId, currency, flags, Optional.empty(), Optional.empty(), Optional.empty());
  }

  /** With another debit limit. */
  public AccountSpec withDebitLimit(Amount limit) {
    return new AccountSpec(id, ledgerId, currency, flags, Optional.of(limit), creditLimit, parent);
  }

  /** With another credit limit. */
  public AccountSpec withCreditLimit(Amount limit) {
    return new AccountSpec(id, ledgerId, currency, flags, debitLimit, Optional.of(limit), parent);
  }

  /** Behind another settlement account. */
  public AccountSpec withParent(Id128 newParent) {
    return new AccountSpec(
        id, ledgerId, currency, flags, debitLimit, creditLimit, Optional.of(newParent));
  }
}
