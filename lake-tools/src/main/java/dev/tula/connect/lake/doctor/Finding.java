package dev.tula.connect.lake.doctor;

import java.util.Objects;

/**
 * What a check found at one key.
 *
 * @param check the check's id
 * @param key the configuration key, as it is written there
 * @param verdict what it comes to
 * @param seen what is there; never the value of a secret
 * @param advice what to do, in a sentence; empty where nothing is to be done
 */
public record Finding(String check, String key, Verdict verdict, String seen, String advice) {
  /** Checks that the parts are there. */
  public Finding {
    Objects.requireNonNull(check, "check");
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(verdict, "verdict");
    Objects.requireNonNull(seen, "seen");
    Objects.requireNonNull(advice, "advice");
  }
}
