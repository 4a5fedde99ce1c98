package dev.tula.connect.refnode.engine;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What became of a transfer request. The name in lower case is the record's {@code outcome}; a
 * rejection moves no money.
 */
public enum Outcome {
  /** Moved at once. */
  POSTED,
  /** Held. */
  RESERVED,
  /** A held amount was moved. */
  COMMITTED,
  /** A held amount was let go. */
  ROLLED_BACK,
  /** The ledger does not exist. */
  REJECTED_UNKNOWN_LEDGER,
  /** The source of the request does not exist. */
  REJECTED_UNKNOWN_SOURCE,
  /** The source may not send transfers just now. */
  REJECTED_SOURCE_SUSPENDED,
  /** The currency does not exist. */
  REJECTED_UNKNOWN_CURRENCY,
  /** The currency may not be moved just now. */
  REJECTED_CURRENCY_SUSPENDED,
  /** The currency is not one of the ledger's, or not the account's. */
  REJECTED_CURRENCY_MISMATCH,
  /** The amount is zero or below. */
  REJECTED_INVALID_AMOUNT,
  /** Debit and credit are one account. */
  REJECTED_SAME_ACCOUNT,
  /** An account does not exist. */
  REJECTED_UNKNOWN_ACCOUNT,
  /** An account belongs to another ledger. */
  REJECTED_LEDGER_MISMATCH,
  /** An account is closed. */
  REJECTED_ACCOUNT_CLOSED,
  /** An account is frozen. */
  REJECTED_ACCOUNT_FROZEN,
  /** A tiered ledger, and a side that settles nowhere. */
  REJECTED_NO_SETTLEMENT_ACCOUNT,
  /** The debit account has less than that available. */
  REJECTED_INSUFFICIENT_FUNDS,
  /** The debit account would fall below its debit limit. */
  REJECTED_DEBIT_LIMIT_EXCEEDED,
  /** The credit account would rise above its credit limit. */
  REJECTED_CREDIT_LIMIT_EXCEEDED,
  /** The debit side's settlement account has too little available. */
  REJECTED_SETTLEMENT_LIMIT_EXCEEDED,
  /** A total would need more than 28 digits. */
  REJECTED_TOTAL_TOO_LARGE,
  /** No room for another open reservation. */
  REJECTED_TOO_MANY_RESERVATIONS,
  /** The identity was used before, with another body. */
  REJECTED_DUPLICATE_TXN,
  /** There is no such reservation. */
  REJECTED_UNKNOWN_RESERVATION,
  /** The reservation was resolved before, in another way. */
  REJECTED_ALREADY_RESOLVED,
  /** The caller turned it down itself. */
  REJECTED_BY_CALLER;

  private static final Map<String, Outcome> BY_TEXT =
      Stream.of(values()).collect(Collectors.toUnmodifiableMap(Outcome::text, Function.identity()));

  private final String text = name().toLowerCase(Locale.ROOT);
  private final byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);

  /** The record's {@code outcome}. */
  public String text() {
    return text;
  }

  byte[] utf8() {
    return utf8;
  }

  /** Whether the request was turned down. */
  public boolean isRejected() {
    return ordinal() > ROLLED_BACK.ordinal();
  }

  /**
   * The outcome with this text.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Outcome ofText(String text) {
    Outcome outcome = BY_TEXT.get(text);
    if (outcome == null) {
      throw new IllegalArgumentException("outcome \"" + text + "\" does not exist");
    }
    return outcome;
  }
}
