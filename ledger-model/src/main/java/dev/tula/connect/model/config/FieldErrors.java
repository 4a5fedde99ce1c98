package dev.tula.connect.model.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Errors by the key that they belong to. Safe for any thread. */
public final class FieldErrors {
  private final Map<String, List<String>> byField = new TreeMap<>();

  /** Adds an error. */
  public synchronized void add(String field, String error) {
    byField.computeIfAbsent(field, unused -> new ArrayList<>()).add(error);
  }

  /** Whether there is none. */
  public synchronized boolean isEmpty() {
    return byField.isEmpty();
  }

  /** A copy of what was added. */
  public synchronized Map<String, List<String>> byField() {
    Map<String, List<String>> copy = new TreeMap<>();
    byField.forEach((field, errors) -> copy.put(field, List.copyOf(errors)));
    return copy;
  }
}
