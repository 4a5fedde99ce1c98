package dev.tula.connect.refnode.truth;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.model.RowSchema;
import java.util.Locale;

/**
 * Which table of a lake a record belongs to. Written from the lake's format alone, apart from the
 * sink, so that the two can be held against each other.
 */
public enum Layout {
  /** A table for each kind of transaction, and again for tiered ledgers. */
  BY_TYPE,
  /** A table for each mode of ledger. */
  BY_MODE,
  /** One table. */
  SHARED;

  /** The logical table of the record that a reader is at: without generation and partition. */
  String table(CanonicalRow row, RowReader reader) {
    return switch (row.kind()) {
      case TRANSACTION -> transactions(reader);
      case ACCOUNT_CHANGE -> "account_changes";
      case LEDGER_CHANGE -> "ledger_changes";
      case CURRENCY_CHANGE -> "currency_changes";
      case SOURCE_CHANGE -> "source_changes";
      case CLUSTER_CHANGE -> "cluster_changes";
      default -> throw new IllegalArgumentException(row.kind() + " has no table");
    };
  }

  private String transactions(RowReader reader) {
    String mode = reader.string(RowSchema.MODE);
    return switch (this) {
      case SHARED -> "transactions";
      case BY_MODE -> "transactions_" + mode;
      case BY_TYPE ->
          (mode.equals("default") ? "transactions_" : "transactions_tiered_")
              + reader.string(RowSchema.KIND);
    };
  }

  /** The name that configurations give it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * The layout of that name.
   *
   * @throws IllegalArgumentException naming the known ones, if there is none
   */
  public static Layout ofName(String name) {
    for (Layout layout : values()) {
      if (layout.toString().equals(name)) {
        return layout;
      }
    }
    throw new IllegalArgumentException(
        "layout \"" + name + "\" does not exist; known are by_type, by_mode, shared");
  }
}
