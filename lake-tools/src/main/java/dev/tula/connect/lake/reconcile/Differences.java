package dev.tula.connect.lake.reconcile;

import java.util.ArrayList;
import java.util.List;

/** What differs, in the order it was found; of many, the first. Not thread-safe. */
final class Differences {
  private static final int MAX_KEPT = 20;

  private final List<String> kept = new ArrayList<>();
  private long left;

  void add(String difference) {
    if (kept.size() < MAX_KEPT) {
      kept.add(difference);
    } else {
      left++;
    }
  }

  List<String> toList() {
    List<String> list = new ArrayList<>(kept);
    if (left > 0) {
      list.add("and " + left + " more");
    }
    return list;
  }
}
