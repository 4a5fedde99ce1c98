package dev.tula.connect.refnode.engine;

import java.util.Arrays;
import java.util.Optional;

/**
 * Every account, by number in order of creation, one array for each of its properties: some 170
 * bytes an account. Not thread-safe.
 */
final class AccountTable {
  static final int NONE = -1;

  private static final int FIRST_CAPACITY = 64;
  private static final int HAS_DEBIT_LIMIT = 1;
  private static final int HAS_CREDIT_LIMIT = 2;

  private int size;
  private int[] slots = new int[FIRST_CAPACITY * 2];
  private Id128[] ids = new Id128[FIRST_CAPACITY];
  private Book[] books = new Book[FIRST_CAPACITY];
  private int[] flags = new int[FIRST_CAPACITY];
  private int[] parents = new int[FIRST_CAPACITY];
  private byte[] limits = new byte[FIRST_CAPACITY];
  private EntityState[] states = new EntityState[FIRST_CAPACITY];
  private final AmountColumn debitLimit = new AmountColumn(FIRST_CAPACITY);
  private final AmountColumn creditLimit = new AmountColumn(FIRST_CAPACITY);
  private final AmountColumn creditsPosted = new AmountColumn(FIRST_CAPACITY);
  private final AmountColumn debitsPosted = new AmountColumn(FIRST_CAPACITY);
  private final AmountColumn creditsReserved = new AmountColumn(FIRST_CAPACITY);
  private final AmountColumn debitsReserved = new AmountColumn(FIRST_CAPACITY);

  int size() {
    return size;
  }

  /** The account's number, or {@link #NONE}. */
  int find(Id128 id) {
    int mask = slots.length - 1;
    for (int slot = slot(id, mask); slots[slot] != 0; slot = (slot + 1) & mask) {
      int account = slots[slot] - 1;
      if (ids[account].equals(id)) {
        return account;
      }
    }
    return NONE;
  }

  /** Adds an account that is not there yet. */
  int add(Id128 id, Book book, int accountFlags, int parent) {
    if (size == ids.length) {
      grow(size * 2);
    }
    int account = size++;
    ids[account] = id;
    books[account] = book;
    flags[account] = accountFlags;
    parents[account] = parent;
    states[account] = EntityState.ACTIVE;
    insert(account);
    return account;
  }

  private void insert(int account) {
    int mask = slots.length - 1;
    int slot = slot(ids[account], mask);
    while (slots[slot] != 0) {
      slot = (slot + 1) & mask;
    }
    slots[slot] = account + 1;
  }

  private static int slot(Id128 id, int mask) {
    return (int) Mix.mix(id.high() * 31 + id.low()) & mask;
  }

  private void grow(int capacity) {
    ids = Arrays.copyOf(ids, capacity);
    books = Arrays.copyOf(books, capacity);
    flags = Arrays.copyOf(flags, capacity);
    parents = Arrays.copyOf(parents, capacity);
    limits = Arrays.copyOf(limits, capacity);
    states = Arrays.copyOf(states, capacity);
    debitLimit.grow(capacity);
    creditLimit.grow(capacity);
    creditsPosted.grow(capacity);
    debitsPosted.grow(capacity);
    creditsReserved.grow(capacity);
    debitsReserved.grow(capacity);
    slots = new int[capacity * 2];
    for (int account = 0; account < size; account++) {
      insert(account);
    }
  }

  Id128 id(int account) {
    return ids[account];
  }

  Book book(int account) {
    return books[account];
  }

  int flags(int account) {
    return flags[account];
  }

  boolean has(int account, int flag) {
    return (flags[account] & flag) != 0;
  }

  int parent(int account) {
    return parents[account];
  }

  EntityState state(int account) {
    return states[account];
  }

  void state(int account, EntityState state) {
    states[account] = state;
  }

  void limits(int account, Optional<Amount> debit, Optional<Amount> credit) {
    limits[account] =
        (byte)
            ((debit.isPresent() ? HAS_DEBIT_LIMIT : 0)
                | (credit.isPresent() ? HAS_CREDIT_LIMIT : 0));
    debitLimit.set(account, debit.orElse(Amount.ZERO));
    creditLimit.set(account, credit.orElse(Amount.ZERO));
  }

  Optional<Amount> debitLimit(int account) {
    return hasDebitLimit(account) ? Optional.of(debitLimit.amount(account)) : Optional.empty();
  }

  Optional<Amount> creditLimit(int account) {
    return hasCreditLimit(account) ? Optional.of(creditLimit.amount(account)) : Optional.empty();
  }

  boolean hasDebitLimit(int account) {
    return (limits[account] & HAS_DEBIT_LIMIT) != 0;
  }

  boolean hasCreditLimit(int account) {
    return (limits[account] & HAS_CREDIT_LIMIT) != 0;
  }

  AmountColumn debitLimits() {
    return debitLimit;
  }

  AmountColumn creditLimits() {
    return creditLimit;
  }

  AmountColumn creditsPosted() {
    return creditsPosted;
  }

  AmountColumn debitsPosted() {
    return debitsPosted;
  }

  AmountColumn creditsReserved() {
    return creditsReserved;
  }

  AmountColumn debitsReserved() {
    return debitsReserved;
  }

  /** Moves an amount between two accounts; which books they are in is the caller's care. */
  void post(int debit, int credit, Amount amount) {
    debitsPosted.add(debit, amount);
    creditsPosted.add(credit, amount);
    books[debit].debited(amount);
    books[credit].credited(amount);
    books[debit].requireBalanced();
  }

  void hold(int debit, int credit, Amount amount) {
    debitsReserved.add(debit, amount);
    creditsReserved.add(credit, amount);
  }

  void release(int debit, int credit, Amount amount) {
    debitsReserved.subtract(debit, amount);
    creditsReserved.subtract(credit, amount);
  }

  /** What can be debited before the balance passes zero: signed. */
  Sum available(int account, Sum into) {
    return into.set(0, 0)
        .add(creditsPosted, account)
        .subtract(debitsPosted, account)
        .subtract(debitsReserved, account);
  }

  /** The balance if every reservation in the account's favour were committed. */
  Sum highestBalance(int account, Sum into) {
    return into.set(0, 0)
        .add(creditsPosted, account)
        .add(creditsReserved, account)
        .subtract(debitsPosted, account);
  }

  /** Whether nothing is on the account, posted or held. */
  boolean isIdle(int account) {
    return creditsPosted.high(account) == debitsPosted.high(account)
        && creditsPosted.low(account) == debitsPosted.low(account)
        && creditsReserved.isZero(account)
        && debitsReserved.isZero(account);
  }
}
