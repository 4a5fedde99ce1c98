package dev.tula.connect.local;

import static dev.tula.connect.local.LakeColumn.Type.AMOUNT;
import static dev.tula.connect.local.LakeColumn.Type.HASH;
import static dev.tula.connect.local.LakeColumn.Type.ID;
import static dev.tula.connect.local.LakeColumn.Type.INT;
import static dev.tula.connect.local.LakeColumn.Type.LONG;
import static dev.tula.connect.local.LakeColumn.Type.TEXT;
import static dev.tula.connect.local.LakeColumn.Type.TEXTS;
import static dev.tula.connect.local.LakeColumn.Type.TIME;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The lake's tables as the format's document lists them, written down a second time. What checks
 * the sink must not ask the sink's own code what is right; a disagreement between this list and the
 * model's is an error that a run finds.
 */
final class LakeFormat {
  /** Columns 24 to 30 are there in full-record mode only. */
  private static final int COLUMNS_WITHOUT_FULL_RECORD = 23;

  private static final List<LakeColumn> HEADER =
      List.of(
          required("global_batch_seq", LONG),
          required("batch_seq", LONG),
          required("array_index", INT),
          required("timestamp", TIME),
          required("recorded_at", TIME));

  private static final List<LakeColumn> TRANSACTION =
      row(
          required("transfer_id", ID),
          required("txn_id", ID),
          required("ledger_id", INT),
          required("source_id", INT),
          required("currency", TEXT),
          required("debit_account_id", ID),
          required("credit_account_id", ID),
          required("amount", AMOUNT),
          required("kind", TEXT),
          required("mode", TEXT),
          required("outcome", TEXT),
          optional("reason_code", INT),
          optional("settlement_id", ID),
          optional("settlement_cycle", INT),
          optional("settlement_tier", TEXT),
          optional("debit_settlement_account_id", ID),
          optional("credit_settlement_account_id", ID),
          optional("settlement_amount", AMOUNT),
          optional("dr_credits_posted", AMOUNT),
          optional("dr_debits_posted", AMOUNT),
          optional("cr_credits_posted", AMOUNT),
          optional("cr_debits_posted", AMOUNT),
          optional("dr_available", AMOUNT),
          optional("cr_available", AMOUNT),
          optional("digest_hex", HASH));

  private static final List<ChangeLog> CHANGE_LOGS =
      List.of(
          new ChangeLog(
              2,
              "account_changes",
              change(
                  ID,
                  optional("ledger_id", INT),
                  optional("currency", TEXT),
                  optional("flags", INT),
                  optional("debit_limit", AMOUNT),
                  optional("credit_limit", AMOUNT),
                  optional("parent_id", ID),
                  optional("state", TEXT))),
          new ChangeLog(
              3,
              "ledger_changes",
              change(
                  TEXT,
                  optional("name", TEXT),
                  optional("mode", TEXT),
                  optional("currencies", TEXTS))),
          new ChangeLog(
              4,
              "currency_changes",
              change(TEXT, optional("exponent", INT), optional("state", TEXT))),
          new ChangeLog(
              5, "source_changes", change(TEXT, optional("name", TEXT), optional("state", TEXT))),
          new ChangeLog(
              6,
              "cluster_changes",
              change(
                  TEXT,
                  optional("address", TEXT),
                  optional("role", TEXT),
                  optional("term", LONG))));

  private static final List<String> KINDS =
      List.of("single_phase", "reserve", "resolution", "rejected");

  private LakeFormat() {}

  /**
   * One kind of change and its table.
   *
   * @param recordKind the record kind's code
   * @param table the table's logical name
   * @param columns its columns in canonical order
   */
  private record ChangeLog(int recordKind, String table, List<LakeColumn> columns) {}

  /**
   * One table and the rows that belong into it.
   *
   * @param name the logical name, without suffixes
   * @param recordKind the record kind's code
   * @param columns in the order of their ids
   * @param rows a condition in SQL over the columns: which records of that kind
   */
  record Table(String name, int recordKind, List<LakeColumn> columns, String rows) {}

  /** The codes of the record kinds that are rows. */
  static List<Integer> recordKinds() {
    return Stream.concat(Stream.of(1), CHANGE_LOGS.stream().map(ChangeLog::recordKind)).toList();
  }

  /** Every declared column of a record kind, in canonical order. */
  static List<LakeColumn> columns(int recordKind) {
    if (recordKind == 1) {
      return TRANSACTION;
    }
    return CHANGE_LOGS.stream()
        .filter(log -> log.recordKind() == recordKind)
        .findFirst()
        .map(ChangeLog::columns)
        .orElseThrow(() -> new StackException("record kind " + recordKind + " is not a row"));
  }

  /** The tables that hold ledger records in a pipeline of this shape. */
  static List<Table> tables(LakeShape shape) {
    List<LakeColumn> columns =
        shape.fullRecord() ? TRANSACTION : TRANSACTION.subList(0, COLUMNS_WITHOUT_FULL_RECORD);
    List<Table> tables = new ArrayList<>();
    switch (shape.layout()) {
      case BY_TYPE -> {
        KINDS.forEach(kind -> tables.add(byType("transactions_" + kind, "default", kind, columns)));
        KINDS.forEach(
            kind ->
                tables.add(
                    byType("transactions_tiered_" + kind, "position_settlement", kind, columns)));
      }
      case BY_MODE -> {
        for (String mode : List.of("default", "position_settlement")) {
          tables.add(new Table("transactions_" + mode, 1, columns, "mode = '" + mode + "'"));
        }
      }
      case SHARED -> tables.add(new Table("transactions", 1, columns, "true"));
    }
    if (shape.includeMetadata()) {
      CHANGE_LOGS.forEach(
          log -> tables.add(new Table(log.table(), log.recordKind(), log.columns(), "true")));
    }
    return tables;
  }

  private static Table byType(String name, String mode, String kind, List<LakeColumn> columns) {
    return new Table(name, 1, columns, "mode = '" + mode + "' AND kind = '" + kind + "'");
  }

  private static List<LakeColumn> row(LakeColumn... own) {
    return Stream.concat(HEADER.stream(), Stream.of(own)).toList();
  }

  private static List<LakeColumn> change(LakeColumn.Type entity, LakeColumn... own) {
    return Stream.of(
            HEADER.stream(),
            Stream.of(
                required("entity_id", entity), required("change", TEXT), required("origin", TEXT)),
            Stream.of(own))
        .flatMap(part -> part)
        .toList();
  }

  private static LakeColumn required(String name, LakeColumn.Type type) {
    return new LakeColumn(name, type, true);
  }

  private static LakeColumn optional(String name, LakeColumn.Type type) {
    return new LakeColumn(name, type, false);
  }
}
