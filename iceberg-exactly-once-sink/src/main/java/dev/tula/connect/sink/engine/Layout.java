package dev.tula.connect.sink.engine;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.MalformedRecordException;
import dev.tula.connect.model.RecordKind;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.model.RowSchema;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * How records are spread over tables ({@code tula.layout}): fixed when a pipeline starts, and part
 * of its identity.
 */
public enum Layout {
  /** A table for each kind of transaction, apart for tiered ledgers. The default. */
  BY_TYPE,
  /** A table for each ledger mode. */
  BY_MODE,
  /** One table for every transaction. */
  SHARED;

  private static final List<String> KINDS =
      List.of("single_phase", "reserve", "resolution", "rejected");
  private static final List<String> MODES = List.of("default", "position_settlement");
  private static final byte[][] KIND_BYTES = utf8(KINDS);
  private static final byte[][] MODE_BYTES = utf8(MODES);
  private static final List<RecordKind> CHANGES =
      List.of(
          RecordKind.ACCOUNT_CHANGE,
          RecordKind.LEDGER_CHANGE,
          RecordKind.CURRENCY_CHANGE,
          RecordKind.SOURCE_CHANGE,
          RecordKind.CLUSTER_CHANGE);

  private static byte[][] utf8(List<String> values) {
    return values.stream()
        .map(value -> value.getBytes(StandardCharsets.UTF_8))
        .toArray(byte[][]::new);
  }

  /** The name in configurations. */
  public String configName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * The layout of a name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Layout ofConfigName(String name) {
    for (Layout layout : values()) {
      if (layout.configName().equals(name)) {
        return layout;
      }
    }
    throw new IllegalArgumentException(
        "layout \"" + name + "\" is not known: choose by_type, by_mode or shared");
  }

  /** Its tables, in a fixed order: transactions first, then, with metadata, the change logs. */
  public List<LogicalTable> tables(boolean includeMetadata, boolean fullTxnRecord) {
    List<LogicalTable> tables = new ArrayList<>();
    for (String name : transactionTables()) {
      tables.add(new LogicalTable(name, RecordKind.TRANSACTION, fullTxnRecord));
    }
    if (includeMetadata) {
      for (RecordKind kind : CHANGES) {
        tables.add(new LogicalTable(kind.name().toLowerCase(Locale.ROOT) + "s", kind, false));
      }
    }
    return List.copyOf(tables);
  }

  private List<String> transactionTables() {
    List<String> names = new ArrayList<>();
    switch (this) {
      case BY_TYPE -> {
        KINDS.forEach(kind -> names.add("transactions_" + kind));
        KINDS.forEach(kind -> names.add("transactions_tiered_" + kind));
      }
      case BY_MODE -> MODES.forEach(mode -> names.add("transactions_" + mode));
      case SHARED -> names.add("transactions");
    }
    return names;
  }

  /**
   * The index, in {@link #tables}, of the table that a row belongs to.
   *
   * @param row the row
   * @param reader wrapped around that row
   * @throws MalformedRecordException naming the position, if the row's kind or mode is not known
   */
  public int route(CanonicalRow row, RowReader reader) {
    RecordKind kind = row.kind();
    if (kind != RecordKind.TRANSACTION) {
      return transactionTableCount() + CHANGES.indexOf(kind);
    }
    int transactionKind = indexOf(KIND_BYTES, RowSchema.KIND, row, reader);
    int mode = indexOf(MODE_BYTES, RowSchema.MODE, row, reader);
    return switch (this) {
      case BY_TYPE -> mode * KIND_BYTES.length + transactionKind;
      case BY_MODE -> mode;
      case SHARED -> 0;
    };
  }

  private int transactionTableCount() {
    return switch (this) {
      case BY_TYPE -> KIND_BYTES.length * MODE_BYTES.length;
      case BY_MODE -> MODE_BYTES.length;
      case SHARED -> 1;
    };
  }

  private static int indexOf(byte[][] known, int field, CanonicalRow row, RowReader reader) {
    for (int i = 0; i < known.length; i++) {
      if (reader.stringEquals(field, known[i])) {
        return i;
      }
    }
    throw new MalformedRecordException(
        "the transaction at "
            + row.position()
            + " has "
            + reader.schema().field(field).name()
            + " \""
            + reader.string(field)
            + "\", which this version does not know; it must not be written to a guessed table");
  }
}
