package dev.tula.connect.local.chaos;

import dev.tula.connect.local.ConnectorStatus;
import dev.tula.connect.local.StackException;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Stands in for the person who restarts what has failed, and for nobody who lifts a halt: one of
 * those ends the run. For one thread.
 */
final class Operator {
  private static final Pattern CODE = Pattern.compile("TULA-(86|87|88)");
  private static final int MAX_REASON = 160;
  private static final int REFUSALS_BEFORE_LAST_RESORT = 8;

  private final ChaosStack stack;
  private final List<String> connectors;
  private final Runnable lastResort;
  private final TreeMap<String, Integer> restarts = new TreeMap<>();
  private int refusals;

  /**
   * @param lastResort what to do where Connect refuses one command after another
   */
  Operator(ChaosStack stack, List<String> connectors, Runnable lastResort) {
    this.stack = stack;
    this.connectors = connectors;
    this.lastResort = lastResort;
  }

  /**
   * Looks once, and restarts what has failed.
   *
   * @throws StackException if something failed with a code that only a person may answer
   */
  void look() {
    for (String connector : connectors) {
      Optional<String> failure;
      try {
        failure = stack.worker().rest().status(connector).flatMap(ConnectorStatus::failure);
      } catch (StackException e) {
        continue; // A worker that is just going or coming; the next look finds another.
      }
      if (failure.isPresent()) {
        answer(connector, failure.get());
      }
    }
  }

  private void answer(String connector, String trace) {
    Matcher code = CODE.matcher(trace);
    if (code.find()) {
      throw new StackException(
          "connector " + connector + " ended with " + code.group() + ":\n" + trace);
    }
    try {
      stack.worker().rest().restartFailed(connector);
      restarts.merge(reason(connector, trace), 1, Integer::sum);
      refusals = 0;
    } catch (StackException e) {
      refusals++;
      if (refusals % REFUSALS_BEFORE_LAST_RESORT == 0) {
        lastResort.run();
      }
    }
  }

  private static String reason(String connector, String trace) {
    String line = trace.lines().findFirst().orElse("");
    String shortened = line.length() > MAX_REASON ? line.substring(0, MAX_REASON) + "…" : line;
    return connector + ": " + shortened;
  }

  /** How often what was restarted, by the first line of its trace. */
  TreeMap<String, Integer> restarts() {
    return restarts;
  }
}
