package dev.tula.connect.refnode.engine;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Ledgers, currencies, sources and members. Not thread-safe. */
final class Registry {
  private static final int MAX_NAME_LENGTH = 255;
  private static final int MAX_CURRENCIES = 256;

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
    requireShort("currency", code, TransferRequest.MAX_CURRENCY_LENGTH);
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
    requireShort("ledger name", name, MAX_NAME_LENGTH);
    Ledger known = ledgers.get(id);
    if (known != null && known.mode() != mode) {
      throw new EngineRefusal("ledger " + id + " is " + known.mode().text() + " and stays so");
    }
    for (String code : codes) {
      if (!currencies.containsKey(code)) {
        throw new EngineRefusal("ledger " + id + ": currency " + code + " does not exist");
      }
    }
    if (codes.size() > MAX_CURRENCIES) {
      throw new EngineRefusal("ledger " + id + ": more than " + MAX_CURRENCIES + " currencies");
    }
    Ledger ledger = known != null ? known : new Ledger(id, name, mode);
    codes.forEach(code -> ledger.addCurrency(currencies.get(code)));
    ledger.rename(name);
    ledgers.put(id, ledger);
    return known == null;
  }

  boolean putSource(int id, String name, EntityState state) {
    requireShort("source name", name, MAX_NAME_LENGTH);
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
    requireShort("member id", member.id(), MAX_NAME_LENGTH);
    requireShort("member address", member.address(), MAX_NAME_LENGTH);
    requireShort("member role", member.role(), MAX_NAME_LENGTH);
    return members.put(member.id(), member) == null;
  }

  /** So that any record fits the smallest frame. */
  private static void requireShort(String what, String text, int maxLength) {
    if (text.length() > maxLength) {
      throw new EngineRefusal(what + " is longer than " + maxLength + " characters: " + text);
    }
  }
}
