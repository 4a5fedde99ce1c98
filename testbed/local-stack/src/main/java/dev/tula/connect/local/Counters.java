package dev.tula.connect.local;

import java.util.HashMap;
import java.util.Map;

/**
 * Adds up counters that begin again at zero whenever the task or worker behind them does. What was
 * counted between the last reading and a kill is lost, so a sum is a lower bound.
 *
 * <p>For one thread.
 */
final class Counters {
  private final Map<String, Long> last = new HashMap<>();
  private final Map<String, Long> before = new HashMap<>();

  /** Takes a reading; one below the last means that the counter began again. */
  void read(String counter, long value) {
    long previous = last.getOrDefault(counter, 0L);
    if (value < previous) {
      before.merge(counter, previous, Long::sum);
    }
    last.put(counter, value);
  }

  /** All of them begin again at zero, as after a kill. */
  void restart() {
    last.forEach((counter, value) -> before.merge(counter, value, Long::sum));
    last.clear();
  }

  /** The sum over every counter whose name begins so. */
  long sum(String prefix) {
    return sum(before, prefix) + sum(last, prefix);
  }

  private static long sum(Map<String, Long> values, String prefix) {
    return values.entrySet().stream()
        .filter(entry -> entry.getKey().startsWith(prefix))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }
}
