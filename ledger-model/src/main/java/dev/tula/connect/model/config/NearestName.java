package dev.tula.connect.model.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the name that somebody may have meant. */
public final class NearestName {
  private NearestName() {}

  /** The nearest of {@code known} to {@code name}, if one is near enough to be worth naming. */
  public static Optional<String> of(String name, Collection<String> known) {
    return known.stream()
        .min(
            Comparator.comparingInt((String candidate) -> distance(name, candidate))
                .thenComparing(Comparator.naturalOrder()))
        .filter(candidate -> distance(name, candidate) <= Math.max(2, name.length() / 2));
  }

  /** Insertions, deletions and substitutions that lead from one to the other. */
  static int distance(String a, String b) {
    int[] previous = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int[] current = new int[b.length() + 1];
      current[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int substituted = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        current[j] = Math.min(substituted, Math.min(previous[j], current[j - 1]) + 1);
      }
      previous = current;
    }
    return previous[b.length()];
  }
}
