package dev.tula.connect.refnode.engine;

import java.util.function.LongPredicate;

/**
 * Finds the record of an identity: a 64-bit fingerprint and the record's place, 16 bytes a slot in
 * open-addressed tables, so that ten million identities take some 300 MB. A fingerprint alone
 * decides nothing: the caller compares the record itself. Grows one shard at a time, so that no
 * growth doubles the whole. Not thread-safe.
 */
final class IdentityIndex {
  static final long NOT_FOUND = -1;

  private static final int SHARD_BITS = 6;

  private final Shard[] shards = new Shard[1 << SHARD_BITS];
  private long size;

  IdentityIndex() {
    for (int i = 0; i < shards.length; i++) {
      shards[i] = new Shard();
    }
  }

  long size() {
    return size;
  }

  /** The place of the first record with this fingerprint that is the right one. */
  long find(long fingerprint, LongPredicate isRight) {
    return shard(fingerprint).find(nonZero(fingerprint), isRight);
  }

  void put(long fingerprint, long locator) {
    shard(fingerprint).put(nonZero(fingerprint), locator);
    size++;
  }

  private Shard shard(long fingerprint) {
    return shards[(int) (fingerprint >>> (Long.SIZE - SHARD_BITS))];
  }

  private static long nonZero(long fingerprint) {
    return fingerprint == 0 ? 1 : fingerprint;
  }

  /** Fingerprint and place alternate in one array, so that a look costs one cache line. */
  private static final class Shard {
    private static final int FIRST_SLOTS = 256;

    private long[] table = new long[2 * FIRST_SLOTS];
    private int used;

    long find(long key, LongPredicate isRight) {
      int mask = table.length - 1;
      for (int at = first(key, mask); table[at] != 0; at = (at + 2) & mask) {
        if (table[at] == key && isRight.test(table[at + 1])) {
          return table[at + 1];
        }
      }
      return NOT_FOUND;
    }

    void put(long key, long locator) {
      if (used * 20L >= table.length * 7L) {
        grow();
      }
      insert(table, key, locator);
      used++;
    }

    private static int first(long key, int mask) {
      return (int) (key << 1) & mask;
    }

    private static void insert(long[] table, long key, long locator) {
      int mask = table.length - 1;
      int at = first(key, mask);
      while (table[at] != 0) {
        at = (at + 2) & mask;
      }
      table[at] = key;
      table[at + 1] = locator;
    }

    private void grow() {
      long[] larger = new long[table.length * 2];
      for (int at = 0; at < table.length; at += 2) {
        if (table[at] != 0) {
          insert(larger, table[at], table[at + 1]);
        }
      }
      table = larger;
    }
  }
}
