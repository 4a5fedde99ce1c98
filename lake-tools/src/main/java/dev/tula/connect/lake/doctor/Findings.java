package dev.tula.connect.lake.doctor;

import java.util.ArrayList;
import java.util.List;

/** Collects what one check finds, in order. For one thread. */
final class Findings {
  private final String check;
  private final List<Finding> found = new ArrayList<>();

  Findings(String check) {
    this.check = check;
  }

  void ok(String key, String seen) {
    found.add(new Finding(check, key, Verdict.OK, seen, ""));
  }

  void warn(String key, String seen, String advice) {
    found.add(new Finding(check, key, Verdict.WARN, seen, advice));
  }

  void fail(String key, String seen, String advice) {
    found.add(new Finding(check, key, Verdict.FAIL, seen, advice));
  }

  void skip(String key, String why, String advice) {
    found.add(new Finding(check, key, Verdict.SKIPPED, why, advice));
  }

  boolean isEmpty() {
    return found.isEmpty();
  }

  List<Finding> list() {
    return List.copyOf(found);
  }
}
