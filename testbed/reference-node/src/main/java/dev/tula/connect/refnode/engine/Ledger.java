package dev.tula.connect.refnode.engine;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A ledger that the engine knows, with a book for each of its currencies. */
final class Ledger {
  private final int id;
  private final LedgerMode mode;
  private final Map<String, Book> books = new LinkedHashMap<>();
  private String name;

  Ledger(int id, String name, LedgerMode mode) {
    this.id = id;
    this.name = name;
    this.mode = mode;
  }

  int id() {
    return id;
  }

  String name() {
    return name;
  }

  LedgerMode mode() {
    return mode;
  }

  List<String> currencies() {
    return List.copyOf(books.keySet());
  }

  Book book(String currency) {
    return books.get(currency);
  }

  void rename(String newName) {
    name = newName;
  }

  void addCurrency(Currency currency) {
    books.computeIfAbsent(currency.code(), code -> new Book(id, currency));
  }
}
