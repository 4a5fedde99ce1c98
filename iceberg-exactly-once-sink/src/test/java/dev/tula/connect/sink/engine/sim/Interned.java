package dev.tula.connect.sink.engine.sim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Gives each value a number, so that worlds of many parts are compared by a few numbers. */
final class Interned<T> {
  private final Map<T, Integer> numbers = new HashMap<>();
  private final List<T> values = new ArrayList<>();

  int number(T value) {
    Integer known = numbers.get(value);
    if (known != null) {
      return known;
    }
    numbers.put(value, values.size());
    values.add(value);
    return values.size() - 1;
  }

  T value(int number) {
    return values.get(number);
  }

  int size() {
    return values.size();
  }
}
