package dev.tula.connect.local.chaos;

import dev.tula.connect.local.ConnectRest;
import dev.tula.connect.local.ConnectorStatus;
import dev.tula.connect.local.StackException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Stands in for the person who restarts what has failed, and for nobody who lifts a halt: one of
 * those ends the run. For one thread.
 */
final class Operator {
  private static final Pattern CODE = Pattern.compile("TULA-(86|87|88)");
  private static final int REFUSALS_BEFORE_LAST_RESORT = 8;

  /** A restart reaches a worker that stands still late; what then is still there failed anew. */
  static final int LOOKS_BEFORE_COUNTED_AGAIN = 15;

  private final Supplier<ConnectRest> worker;
  private final List<String> connectors;
  private final TaskFailures failures;
  private final Runnable lastResort;
  private final Map<String, Map<Failure, Integer>> looks = new HashMap<>();
  private int refusals;

  private record Failure(String part, String trace) {}

  /**
   * @param worker one that answers
   * @param failures takes each one in, and has the limit
   * @param lastResort what to do where Connect refuses one command after another
   */
  Operator(
      Supplier<ConnectRest> worker,
      List<String> connectors,
      TaskFailures failures,
      Runnable lastResort) {
    this.worker = worker;
    this.connectors = connectors;
    this.failures = failures;
    this.lastResort = lastResort;
  }

  /**
   * Looks once, and restarts what has failed.
   *
   * @throws StackException if something failed with a code that only a person may answer, or there
   *     were too many failures
   */
  void look() {
    for (String connector : connectors) {
      Optional<ConnectorStatus> status;
      try {
        status = worker.get().status(connector);
      } catch (StackException e) {
        continue; // A worker that is just going or coming; the next look finds another.
      }
      status.ifPresent(found -> attend(connector, failed(found)));
    }
  }

  private static Set<Failure> failed(ConnectorStatus status) {
    Set<Failure> failed = new HashSet<>();
    if (status.state().equals("FAILED")) {
      failed.add(new Failure("connector", status.trace()));
    }
    status.tasks().stream()
        .filter(task -> task.state().equals("FAILED"))
        .forEach(task -> failed.add(new Failure("task " + task.id(), task.trace())));
    return failed;
  }

  private void attend(String connector, Set<Failure> failed) {
    Map<Failure, Integer> before = looks.getOrDefault(connector, Map.of());
    Map<Failure, Integer> now = new HashMap<>();
    for (Failure failure : failed) {
      refuseCode(connector, failure.trace());
      int count = before.getOrDefault(failure, 0);
      now.put(failure, count + 1);
      if (count % LOOKS_BEFORE_COUNTED_AGAIN == 0) {
        failures.add(connector, failure.trace());
      }
    }
    looks.put(connector, now);
    if (!failed.isEmpty()) {
      restart(connector);
    }
  }

  private static void refuseCode(String connector, String trace) {
    Matcher code = CODE.matcher(trace);
    if (code.find()) {
      throw new StackException(
          "connector " + connector + " ended with " + code.group() + ":\n" + trace);
    }
  }

  private void restart(String connector) {
    try {
      worker.get().restartFailed(connector);
      refusals = 0;
    } catch (StackException e) {
      refusals++;
      if (refusals % REFUSALS_BEFORE_LAST_RESORT == 0) {
        lastResort.run();
      }
    }
  }
}
