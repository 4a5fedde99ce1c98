package dev.tula.connect.refnode.workload;

import dev.tula.connect.refnode.engine.Amount;
import dev.tula.connect.refnode.engine.Id128;
import dev.tula.connect.refnode.engine.RequestType;
import dev.tula.connect.refnode.engine.TransferRequest;
import java.util.List;

/** Makes requests that the ledger turns down, each for a reason of its own. */
final class RejectedRequests {
  private static final int UNKNOWN = 999;

  private final List<BookAccounts> books;
  private final RecentRequests recent;

  RejectedRequests(List<BookAccounts> books, RecentRequests recent) {
    this.books = books;
    this.recent = recent;
  }

  TransferRequest next(Rng rng) {
    BookAccounts book = books.get(rng.below(books.size()));
    TransferRequest good = Transfers.plausible(book, rng);
    return switch (rng.below(14)) {
      case 0 -> good.at(UNKNOWN, good.sourceId(), good.currency());
      case 1 -> good.at(good.ledgerId(), UNKNOWN, good.currency());
      case 2 -> good.at(good.ledgerId(), good.sourceId(), "XXX");
      case 3 -> good.at(good.ledgerId(), good.sourceId(), "KWD");
      case 4 -> Transfers.between(good, good.debitAccount(), otherBook(rng).payer(rng));
      case 5 -> Transfers.between(good, rng.id(), good.creditAccount());
      case 6 -> Transfers.between(good, good.debitAccount(), good.debitAccount());
      case 7 -> Transfers.of(good, Amount.of(-rng.below(2)));
      case 8 -> Transfers.between(good, good.debitAccount(), closedAccount(book, rng));
      case 9 -> Transfers.of(good, Amount.MAX);
      case 10 -> duplicate(good, rng);
      case 11 -> Transfers.because(good, RequestType.REJECT, 1 + rng.below(40));
      case 12 -> Transfers.as(good, RequestType.COMMIT);
      default -> overdrawn(book, good, rng);
    };
  }

  private BookAccounts otherBook(Rng rng) {
    return books.get(rng.below(books.size()));
  }

  private static Id128 closedAccount(BookAccounts book, Rng rng) {
    List<Id128> candidates = book.closed().isEmpty() ? book.frozen() : book.closed();
    return candidates.isEmpty() ? rng.id() : candidates.get(rng.below(candidates.size()));
  }

  private TransferRequest duplicate(TransferRequest good, Rng rng) {
    return recent.isEmpty() ? good : Transfers.of(recent.pick(rng), good.amount());
  }

  private static TransferRequest overdrawn(BookAccounts book, TransferRequest good, Rng rng) {
    Amount large = Genesis.amount(book.key().currency(), 1L << 38, rng.next());
    return Transfers.of(Transfers.between(good, book.newestPayer(), good.creditAccount()), large);
  }
}
