package dev.tula.connect.refnode.engine;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Ledgers, currencies, sources and members. Not thread-safe. */
final class Registry {
  private final Map<Integer, Ledger> ledgers = new LinkedHashMap<>();
  private final Map<String, Currency> currencies = new LinkedHashMap<>();
  private final Map<Integer, Source> sources = new LinkedHashMap<>();
  private final Map<String, ClusterMember> members = new LinkedHashMap<>();

  Ledger ledger(int id) {
    return ledgers.get(id);
  }

  Currency currency(String code) {
    return currencies.get(code);
  }

  Source source(int id) {
    return sources.get(id);
  }

  Collection<Ledger> ledgers() {
    return ledgers.values();
  }

  /** Creates or updates; true if it is new. */
  boolean putCurrency(String code, int exponent, EntityState state) {
    if (code.isEmpty() || exponent < 0 || exponent > 18 || state == EntityState.CLOSED) {
      throw new EngineRefusal(
          "currency \""
              + code
              + "\" needs a code, an exponent from 0 to 18, and active or suspended");
    }
    Currency known = currencies.get(code);
    if (known != null) {
      known.update(exponent, state);
      return false;
    }
    currencies.put(code, new Currency(code, exponent, state));
    return true;
  }

  boolean putLedger(int id, String name, LedgerMode mode, List<String> codes) {
    Ledger known = ledgers.get(id);
    if (known != null && known.mode() != mode) {
      throw new EngineRefusal("ledger " + id + " is " + known.mode().text() + " and stays so");
    }
    for (String code : codes) {
      if (!currencies.containsKey(code)) {
        throw new EngineRefusal("ledger " + id + ": currency " + code + " does not exist");
      }
    }
    Ledger ledger = known != null ? known : new Ledger(id, name, mode);
    codes.forEach(code -> ledger.addCurrency(currencies.get(code)));
    ledger.rename(name);
    ledgers.put(id, ledger);
    return known == null;
  }

  boolean putSource(int id, String name, EntityState state) {
    if (state == EntityState.CLOSED) {
      throw new EngineRefusal("source " + id + " can be active or suspended, not closed");
    }
    Source known = sources.get(id);
    if (known != null) {
      known.update(name, state);
      return false;
    }
    sources.put(id, new Source(id, name, state));
    return true;
  }

  boolean putMember(ClusterMember member) {
    return members.put(member.id(), member) == null;
  }
}
