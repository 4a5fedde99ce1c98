package dev.tula.connect.refnode.history;

import java.util.Arrays;

/** A growing list of places. Safe for any thread. */
final class LocatorList {
  private long[] items = new long[256];
  private int size;

  synchronized void add(long locator) {
    if (size == items.length) {
      items = Arrays.copyOf(items, size * 2);
    }
    items[size++] = locator;
  }

  synchronized void addAll(LocatorList other) {
    for (long locator : other.toArray()) {
      add(locator);
    }
  }

  synchronized void clear() {
    size = 0;
  }

  synchronized long[] toArray() {
    return Arrays.copyOf(items, size);
  }
}
