package dev.tula.connect.sink.engine;

import java.util.Locale;

/** What a commit of ours did, as {@code tula.commit} says. */
public enum CommitKind {
  /** A writer claimed the table. */
  CLAIM,
  /** Rows of a range were appended. */
  RANGE,
  /** The watermark moved. */
  WATERMARK,
  /** Rows of older ranges were put right. */
  REPAIR,
  /** Files were rewritten. */
  COMPACT,
  /** Snapshots were expired. */
  CLEANUP,
  /** A snapshot was pinned. */
  PIN,
  /** A durability halt was recorded. */
  HALT,
  /** A halt was cleared. */
  CLEAR;

  /** The value of {@code tula.commit}. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static CommitKind ofWord(String word) {
    for (CommitKind kind : values()) {
      if (kind.word().equals(word)) {
        return kind;
      }
    }
    throw new MalformedStateException("tula.commit=" + word + " is not known");
  }
}
