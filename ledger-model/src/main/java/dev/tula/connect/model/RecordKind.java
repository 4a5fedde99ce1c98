package dev.tula.connect.model;

/**
 * The kinds of item that a stream carries, with the code that stands for each on the wire and in
 * canonical bytes.
 */
public enum RecordKind {
  /** One record of a transfer. */
  TRANSACTION(1, "Transaction"),
  /** An account was created, updated, closed or seeded. */
  ACCOUNT_CHANGE(2, "AccountChange"),
  /** A ledger changed. */
  LEDGER_CHANGE(3, "LedgerChange"),
  /** A currency changed. */
  CURRENCY_CHANGE(4, "CurrencyChange"),
  /** A source of transfers changed. */
  SOURCE_CHANGE(5, "SourceChange"),
  /** A member of the cluster changed. */
  CLUSTER_CHANGE(6, "ClusterChange"),
  /** No row: says how far the ledger was covered. */
  COVERAGE(7, "Coverage"),
  /** No row: opens a generation. */
  START(8, "Start");

  private static final RecordKind[] BY_CODE = new RecordKind[9];

  static {
    for (RecordKind kind : values()) {
      BY_CODE[kind.code] = kind;
    }
  }

  private final byte code;
  private final String schemaName;

  RecordKind(int code, String simpleName) {
    this.code = (byte) code;
    this.schemaName = "dev.tula.connect." + simpleName;
  }

  /** The code on the wire. */
  public byte code() {
    return code;
  }

  /** The name of this kind's Connect schema. */
  public String schemaName() {
    return schemaName;
  }

  /** Whether items of this kind are ledger records, with a position and canonical bytes. */
  public boolean isRow() {
    return code <= CLUSTER_CHANGE.code;
  }

  /** Whether rows of this kind are there only with {@code include_metadata}. */
  public boolean isMetadata() {
    return isRow() && this != TRANSACTION;
  }

  /**
   * The kind with this code.
   *
   * @throws MalformedRecordException if there is none
   */
  public static RecordKind ofCode(int code) {
    if (code < 1 || code >= BY_CODE.length) {
      throw new MalformedRecordException(
          "record kind " + code + " does not exist; known are 1 to " + (BY_CODE.length - 1));
    }
    return BY_CODE[code];
  }
}
