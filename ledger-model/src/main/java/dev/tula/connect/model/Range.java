package dev.tula.connect.model;

import java.util.Objects;

/**
 * The positions after {@code from}, up to and with {@code to}: half-open, written {@code (from,
 * to]}.
 *
 * @param from exclusive
 * @param to inclusive
 */
public record Range(Position from, Position to) {
  /**
   * @throws IllegalArgumentException if {@code to} lies before {@code from}
   */
  public Range {
    Objects.requireNonNull(from, "from");
    Objects.requireNonNull(to, "to");
    if (from.isAfter(to)) {
      throw new IllegalArgumentException("range (" + from + ", " + to + "] runs backwards");
    }
  }

  /** Whether {@code position} lies in it. */
  public boolean contains(Position position) {
    return position.isAfter(from) && position.isAtOrBelow(to);
  }

  /** Whether it can hold no position at all. */
  public boolean isEmpty() {
    return from.equals(to);
  }

  @Override
  public String toString() {
    return "(" + from + ", " + to + "]";
  }
}
