package dev.tula.connect.refnode.engine;

import java.util.Locale;

/** The state of an account, a currency or a source. The name in lower case is the record's. */
public enum EntityState {
  /** In use. */
  ACTIVE,
  /** Out of use for the time being; for an account: frozen. */
  SUSPENDED,
  /** Out of use for good. Accounts only. */
  CLOSED;

  private final String text = name().toLowerCase(Locale.ROOT);

  /** The record's {@code state}. */
  public String text() {
    return text;
  }

  /**
   * The state with this text.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static EntityState ofText(String text) {
    for (EntityState state : values()) {
      if (state.text.equals(text)) {
        return state;
      }
    }
    throw new IllegalArgumentException("state \"" + text + "\" does not exist");
  }
}
