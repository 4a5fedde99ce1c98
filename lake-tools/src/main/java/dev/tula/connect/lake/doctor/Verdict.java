package dev.tula.connect.lake.doctor;

import java.util.Locale;

/** What a check comes to. */
public enum Verdict {
  /** As it should be. */
  OK,
  /** It works, and a person should look at it. */
  WARN,
  /** It won't work, or not for long. */
  FAIL,
  /** What it would be judged by is not known here. */
  SKIPPED;

  /** As reports have it. */
  public String word() {
    return this == FAIL ? name() : name().toLowerCase(Locale.ROOT);
  }
}
