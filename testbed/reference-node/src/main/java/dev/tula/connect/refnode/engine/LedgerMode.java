package dev.tula.connect.refnode.engine;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** How a ledger moves money. The name in lower case is the record's {@code mode}. */
public enum LedgerMode {
  /** Between the two accounts alone. */
  DEFAULT,
  /** Between two position accounts, and between the settlement accounts behind them. */
  POSITION_SETTLEMENT;

  private final String text = name().toLowerCase(Locale.ROOT);
  private final byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);

  /** The record's {@code mode}. */
  public String text() {
    return text;
  }

  byte[] utf8() {
    return utf8;
  }

  /**
   * The mode with this text.
   *
   * @throws IllegalArgumentException naming the known ones, if there is none
   */
  public static LedgerMode ofText(String text) {
    for (LedgerMode mode : values()) {
      if (mode.text.equals(text)) {
        return mode;
      }
    }
    throw new IllegalArgumentException(
        "ledger mode \"" + text + "\" does not exist; known are default and position_settlement");
  }
}
