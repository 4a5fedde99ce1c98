package dev.tula.connect.refnode.workload;

import dev.tula.connect.refnode.engine.Amount;
import dev.tula.connect.refnode.engine.Id128;
import dev.tula.connect.refnode.engine.RequestType;
import dev.tula.connect.refnode.engine.TransferRequest;
import java.util.OptionalInt;

/** Makes requests that may well succeed. */
final class Transfers {
  private static final int FUNDING_FACTOR = 16;
  private static final int AMOUNT_BITS = 20;

  private Transfers() {}

  static TransferRequest plausible(BookAccounts book, Rng rng) {
    int way = rng.below(10);
    if (way < 3 || !book.hasTwoPayers()) {
      Id128 funded = book.tiered() ? book.settlement(rng) : book.payer(rng);
      return single(book, rng, book.system(), funded, amount(book, rng, FUNDING_FACTOR));
    }
    Id128 debit = book.payer(rng);
    Id128 credit = book.payer(rng);
    if (way == 9 && !book.tiered()) {
      credit = book.system();
    } else if (debit.equals(credit)) {
      credit = debit.equals(book.newestPayer()) ? otherThan(debit, book, rng) : book.newestPayer();
    }
    return single(book, rng, debit, credit, amount(book, rng, 1));
  }

  private static Id128 otherThan(Id128 debit, BookAccounts book, Rng rng) {
    // The newest drew itself. Any other will do; a few tries find one, else the request is turned
    // down for naming one account twice.
    Id128 other = debit;
    for (int i = 0; i < 8 && other.equals(debit); i++) {
      other = book.payer(rng);
    }
    return other;
  }

  static Amount amount(BookAccounts book, Rng rng, int factor) {
    long cents = rng.logarithmic(AMOUNT_BITS) * factor;
    return Genesis.amount(book.key().currency(), cents, rng.next());
  }

  static TransferRequest single(
      BookAccounts book, Rng rng, Id128 debit, Id128 credit, Amount amount) {
    // The last source is the one that is sometimes suspended, so it is rarely used.
    int source = rng.below(50) == 0 ? Genesis.SOURCES : 1 + rng.below(Genesis.SOURCES - 1);
    return new TransferRequest(
        RequestType.SINGLE,
        book.key().ledgerId(),
        source,
        book.key().currency(),
        rng.id(),
        debit,
        credit,
        amount,
        OptionalInt.empty());
  }

  static TransferRequest as(TransferRequest request, RequestType type) {
    return new TransferRequest(
        type,
        request.ledgerId(),
        request.sourceId(),
        request.currency(),
        request.txnId(),
        request.debitAccount(),
        request.creditAccount(),
        request.amount(),
        request.reasonCode());
  }

  static TransferRequest between(TransferRequest request, Id128 debit, Id128 credit) {
    return new TransferRequest(
        request.type(),
        request.ledgerId(),
        request.sourceId(),
        request.currency(),
        request.txnId(),
        debit,
        credit,
        request.amount(),
        request.reasonCode());
  }

  static TransferRequest of(TransferRequest request, Amount amount) {
    return new TransferRequest(
        request.type(),
        request.ledgerId(),
        request.sourceId(),
        request.currency(),
        request.txnId(),
        request.debitAccount(),
        request.creditAccount(),
        amount,
        request.reasonCode());
  }

  static TransferRequest because(TransferRequest request, RequestType type, int reason) {
    return new TransferRequest(
        type,
        request.ledgerId(),
        request.sourceId(),
        request.currency(),
        request.txnId(),
        request.debitAccount(),
        request.creditAccount(),
        request.amount(),
        OptionalInt.of(reason));
  }
}
