package dev.tula.connect.refnode.workload;

import dev.tula.connect.refnode.engine.AccountFlags;
import dev.tula.connect.refnode.engine.AccountSpec;
import dev.tula.connect.refnode.engine.EntityState;
import dev.tula.connect.refnode.engine.Id128;
import dev.tula.connect.refnode.engine.LedgerMode;
import dev.tula.connect.refnode.workload.Genesis.BookKey;
import java.util.ArrayList;
import java.util.List;

/**
 * The accounts of one book, sorted by what a workload does with them. The order in each list
 * depends only on the changes that were recorded. Not thread-safe.
 */
final class BookAccounts {
  private final BookKey key;
  private final List<Id128> payers = new ArrayList<>();
  private final List<Id128> settlements = new ArrayList<>();
  private final List<Id128> frozen = new ArrayList<>();
  private final List<Id128> closed = new ArrayList<>();
  private long nextOrdinal = Genesis.SYSTEM;

  BookAccounts(BookKey key) {
    this.key = key;
  }

  BookKey key() {
    return key;
  }

  boolean tiered() {
    return key.mode() == LedgerMode.POSITION_SETTLEMENT;
  }

  Id128 system() {
    return key.account(Genesis.SYSTEM);
  }

  long nextOrdinal() {
    return nextOrdinal;
  }

  void created(AccountSpec spec) {
    nextOrdinal++;
    if ((spec.flags() & AccountFlags.SYSTEM) != 0) {
      return;
    }
    boolean settles = (spec.flags() & AccountFlags.SETTLEMENT) != 0;
    (settles ? settlements : payers).add(spec.id());
  }

  void updated(Id128 account, EntityState state) {
    frozen.remove(account);
    if (state == EntityState.SUSPENDED) {
      frozen.add(account);
    }
    if (state == EntityState.CLOSED && payers.remove(account)) {
      closed.add(account);
    }
  }

  boolean hasTwoPayers() {
    return payers.size() >= 2;
  }

  /** One that pays; the older ones more often, and a frozen one seldom. */
  Id128 payer(Rng rng) {
    Id128 picked = anyPayer(rng);
    return frozen.contains(picked) ? anyPayer(rng) : picked;
  }

  private Id128 anyPayer(Rng rng) {
    int size = payers.size();
    return payers.get(Math.min(rng.below(size), rng.below(size)));
  }

  Id128 newestPayer() {
    return payers.get(payers.size() - 1);
  }

  Id128 settlement(Rng rng) {
    return settlements.get(rng.below(settlements.size()));
  }

  List<Id128> frozen() {
    return frozen;
  }

  List<Id128> closed() {
    return closed;
  }
}
