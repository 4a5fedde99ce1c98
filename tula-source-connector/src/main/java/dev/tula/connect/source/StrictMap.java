package dev.tula.connect.source;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** A map that must have exactly these keys, with values of exactly these types. */
final class StrictMap {
  private final String what;
  private final Map<String, ?> map;

  /**
   * Checks the keys.
   *
   * @throws IllegalArgumentException if one is missing or too many
   */
  StrictMap(String what, Map<String, ?> map, Set<String> keys) {
    this(what, map, keys, Set.of());
  }

  /**
   * Checks the keys, among which those of {@code optional} may be left out all together.
   *
   * @throws IllegalArgumentException if one is missing or too many
   */
  StrictMap(String what, Map<String, ?> map, Set<String> keys, Set<String> optional) {
    this.what = what;
    this.map = map;
    Set<String> all = new TreeSet<>(keys);
    all.addAll(optional);
    if (map == null || !map.keySet().equals(keys) && !map.keySet().equals(all)) {
      throw new IllegalArgumentException(
          what
              + " "
              + map
              + " must have exactly the keys "
              + new TreeSet<>(keys)
              + (optional.isEmpty() ? "" : ", or with them " + new TreeSet<>(optional)));
    }
  }

  boolean has(String key) {
    return map.containsKey(key);
  }

  /** A whole number of 64 bits; Connect's JSON gives it as one of Java's integral types. */
  long number(String key) {
    Object value = map.get(key);
    if (value instanceof Long || value instanceof Integer) {
      return ((Number) value).longValue();
    }
    throw fault(key, "a whole number");
  }

  int integer(String key) {
    long value = number(key);
    if (value != (int) value) {
      throw fault(key, "a whole number of 32 bits");
    }
    return (int) value;
  }

  String text(String key) {
    if (map.get(key) instanceof String text && !text.isEmpty()) {
      return text;
    }
    throw fault(key, "a string that is not empty");
  }

  boolean flag(String key) {
    if (map.get(key) instanceof Boolean flag) {
      return flag;
    }
    throw fault(key, "true or false");
  }

  private IllegalArgumentException fault(String key, String expected) {
    return new IllegalArgumentException(
        what + ": " + key + " must be " + expected + ", not " + map.get(key));
  }
}
