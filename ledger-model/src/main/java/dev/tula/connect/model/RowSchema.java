package dev.tula.connect.model;

import static dev.tula.connect.model.FieldType.AMOUNT;
import static dev.tula.connect.model.FieldType.HASH256;
import static dev.tula.connect.model.FieldType.ID128;
import static dev.tula.connect.model.FieldType.INT;
import static dev.tula.connect.model.FieldType.LONG;
import static dev.tula.connect.model.FieldType.STRING;
import static dev.tula.connect.model.FieldType.STRING_LIST;
import static dev.tula.connect.model.FieldType.TIMESTAMP;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The declared fields of each record kind, in canonical order. This is the one place that names
 * them: the canonical bytes, the Connect schemas and the lake's columns all follow from it.
 *
 * <p>Field indexes, the constants here, count from 0 and are what {@link RowReader} and {@link
 * RowWriter} take; a column's id in the lake is its index plus 1.
 */
public final class RowSchema {
  /** Index of {@code global_batch_seq}, in every kind. */
  public static final int GLOBAL_BATCH_SEQ = 0;

  /** Index of {@code batch_seq}, in every kind. */
  public static final int BATCH_SEQ = 1;

  /** Index of {@code array_index}, in every kind. */
  public static final int ARRAY_INDEX = 2;

  /** Index of {@code timestamp}, in every kind: the engine's time for the record. */
  public static final int TIMESTAMP_FIELD = 3;

  /**
   * Index of {@code recorded_at}, in every kind: the commit time of the batch, the transaction-time
   * axis.
   */
  public static final int RECORDED_AT = 4;

  /** Index of {@code transfer_id} in a transaction. */
  public static final int TRANSFER_ID = 5;

  /** Index of {@code txn_id} in a transaction. */
  public static final int TXN_ID = 6;

  /** Index of {@code ledger_id} in a transaction. */
  public static final int LEDGER_ID = 7;

  /** Index of {@code source_id} in a transaction. */
  public static final int SOURCE_ID = 8;

  /** Index of {@code currency} in a transaction. */
  public static final int CURRENCY = 9;

  /** Index of {@code debit_account_id} in a transaction. */
  public static final int DEBIT_ACCOUNT_ID = 10;

  /** Index of {@code credit_account_id} in a transaction. */
  public static final int CREDIT_ACCOUNT_ID = 11;

  /** Index of {@code amount} in a transaction. */
  public static final int AMOUNT_FIELD = 12;

  /** Index of {@code kind} in a transaction. */
  public static final int KIND = 13;

  /** Index of {@code mode} in a transaction. */
  public static final int MODE = 14;

  /** Index of {@code outcome} in a transaction. */
  public static final int OUTCOME = 15;

  /** Index of {@code reason_code} in a transaction. */
  public static final int REASON_CODE = 16;

  /** Index of {@code settlement_id} in a transaction. */
  public static final int SETTLEMENT_ID = 17;

  /** Index of {@code settlement_amount} in a transaction. */
  public static final int SETTLEMENT_AMOUNT = 22;

  /**
   * Index of the first of the fields that only full transaction records carry; the last is {@link
   * #DIGEST_HEX}.
   */
  public static final int FIRST_FULL_RECORD_FIELD = 23;

  /** Index of {@code digest_hex} in a transaction. */
  public static final int DIGEST_HEX = 29;

  /** Index of {@code entity_id} in a change. */
  public static final int ENTITY_ID = 5;

  /** Index of {@code change} in a change. */
  public static final int CHANGE = 6;

  /** Index of {@code origin} in a change. */
  public static final int ORIGIN = 7;

  private static final RowSchema TRANSACTION =
      new Builder(RecordKind.TRANSACTION)
          .required("transfer_id", ID128)
          .required("txn_id", ID128)
          .required("ledger_id", INT)
          .required("source_id", INT)
          .required("currency", STRING)
          .required("debit_account_id", ID128)
          .required("credit_account_id", ID128)
          .required("amount", AMOUNT)
          .required("kind", STRING)
          .required("mode", STRING)
          .required("outcome", STRING)
          .optional("reason_code", INT)
          .optional("settlement_id", ID128)
          .optional("settlement_cycle", INT)
          .optional("settlement_tier", STRING)
          .optional("debit_settlement_account_id", ID128)
          .optional("credit_settlement_account_id", ID128)
          .optional("settlement_amount", AMOUNT)
          .optional("dr_credits_posted", AMOUNT)
          .optional("dr_debits_posted", AMOUNT)
          .optional("cr_credits_posted", AMOUNT)
          .optional("cr_debits_posted", AMOUNT)
          .optional("dr_available", AMOUNT)
          .optional("cr_available", AMOUNT)
          .optional("digest_hex", HASH256)
          .build();

  private static final RowSchema ACCOUNT_CHANGE =
      new Builder(RecordKind.ACCOUNT_CHANGE)
          .change(ID128)
          .optional("ledger_id", INT)
          .optional("currency", STRING)
          .optional("flags", INT)
          .optional("debit_limit", AMOUNT)
          .optional("credit_limit", AMOUNT)
          .optional("parent_id", ID128)
          .optional("state", STRING)
          .build();

  private static final RowSchema LEDGER_CHANGE =
      new Builder(RecordKind.LEDGER_CHANGE)
          .change(STRING)
          .optional("name", STRING)
          .optional("mode", STRING)
          .optional("currencies", STRING_LIST)
          .build();

  private static final RowSchema CURRENCY_CHANGE =
      new Builder(RecordKind.CURRENCY_CHANGE)
          .change(STRING)
          .optional("exponent", INT)
          .optional("state", STRING)
          .build();

  private static final RowSchema SOURCE_CHANGE =
      new Builder(RecordKind.SOURCE_CHANGE)
          .change(STRING)
          .optional("name", STRING)
          .optional("state", STRING)
          .build();

  private static final RowSchema CLUSTER_CHANGE =
      new Builder(RecordKind.CLUSTER_CHANGE)
          .change(STRING)
          .optional("address", STRING)
          .optional("role", STRING)
          .optional("term", LONG)
          .build();

  private static final RowSchema[] BY_CODE = {
    null, TRANSACTION, ACCOUNT_CHANGE, LEDGER_CHANGE, CURRENCY_CHANGE, SOURCE_CHANGE, CLUSTER_CHANGE
  };

  private final RecordKind kind;
  private final List<RowField> fields;
  private final RowField[] fieldArray;
  private final Map<String, Integer> indexes;

  private RowSchema(RecordKind kind, List<RowField> fields) {
    this.kind = kind;
    this.fields = List.copyOf(fields);
    this.fieldArray = fields.toArray(RowField[]::new);
    this.indexes =
        fields.stream()
            .collect(Collectors.toUnmodifiableMap(RowField::name, field -> field.id() - 1));
  }

  /**
   * The fields of a kind.
   *
   * @throws IllegalArgumentException for a kind that is not a row
   */
  public static RowSchema of(RecordKind kind) {
    if (!kind.isRow()) {
      throw new IllegalArgumentException(kind + " is not a row");
    }
    return BY_CODE[kind.code()];
  }

  /** The kind that this describes. */
  public RecordKind kind() {
    return kind;
  }

  /** Every declared field, in canonical order. */
  public List<RowField> fields() {
    return fields;
  }

  /** The number of declared fields. */
  public int size() {
    return fieldArray.length;
  }

  /** The field at an index, from 0. */
  public RowField field(int index) {
    return fieldArray[index];
  }

  /**
   * The index of a field.
   *
   * @throws IllegalArgumentException if this kind has no such field
   */
  public int indexOf(String name) {
    Integer index = indexes.get(name);
    if (index == null) {
      throw new IllegalArgumentException(kind + " has no field " + name);
    }
    return index;
  }

  /** Whether this kind has a field of that name. */
  public boolean has(String name) {
    return indexes.containsKey(name);
  }

  private static final class Builder {
    private final RecordKind kind;
    private final List<RowField> fields = new ArrayList<>();

    Builder(RecordKind kind) {
      this.kind = kind;
      required("global_batch_seq", LONG);
      required("batch_seq", LONG);
      required("array_index", INT);
      required("timestamp", TIMESTAMP);
      required("recorded_at", TIMESTAMP);
    }

    Builder change(FieldType entityId) {
      return required("entity_id", entityId).required("change", STRING).required("origin", STRING);
    }

    Builder required(String name, FieldType type) {
      fields.add(new RowField(fields.size() + 1, name, type, true));
      return this;
    }

    Builder optional(String name, FieldType type) {
      fields.add(new RowField(fields.size() + 1, name, type, false));
      return this;
    }

    RowSchema build() {
      return new RowSchema(kind, fields);
    }
  }
}
