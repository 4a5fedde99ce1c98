package dev.tula.connect.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Pins the columns to those of the published lake format, by id, name, type and requiredness. A
 * digest is made of them in this order: whoever changes a line here makes every digest there is
 * worthless.
 */
class RowSchemaTest {
  private static final String COMMON =
      """
      1 global_batch_seq LONG required
      2 batch_seq LONG required
      3 array_index INT required
      4 timestamp TIMESTAMP required
      5 recorded_at TIMESTAMP required
      """;

  private static final String TRANSACTION =
      """
      6 transfer_id ID128 required
      7 txn_id ID128 required
      8 ledger_id INT required
      9 source_id INT required
      10 currency STRING required
      11 debit_account_id ID128 required
      12 credit_account_id ID128 required
      13 amount AMOUNT required
      14 kind STRING required
      15 mode STRING required
      16 outcome STRING required
      17 reason_code INT optional
      18 settlement_id ID128 optional
      19 settlement_cycle INT optional
      20 settlement_tier STRING optional
      21 debit_settlement_account_id ID128 optional
      22 credit_settlement_account_id ID128 optional
      23 settlement_amount AMOUNT optional
      24 dr_credits_posted AMOUNT optional
      25 dr_debits_posted AMOUNT optional
      26 cr_credits_posted AMOUNT optional
      27 cr_debits_posted AMOUNT optional
      28 dr_available AMOUNT optional
      29 cr_available AMOUNT optional
      30 digest_hex HASH256 optional
      """;

  private static final String STRING_ENTITY =
      """
      6 entity_id STRING required
      7 change STRING required
      8 origin STRING required
      """;

  private static final String ACCOUNT =
      """
      6 entity_id ID128 required
      7 change STRING required
      8 origin STRING required
      9 ledger_id INT optional
      10 currency STRING optional
      11 flags INT optional
      12 debit_limit AMOUNT optional
      13 credit_limit AMOUNT optional
      14 parent_id ID128 optional
      15 state STRING optional
      """;

  private static final String LEDGER =
      """
      9 name STRING optional
      10 mode STRING optional
      11 currencies STRING_LIST optional
      """;

  private static final String CURRENCY =
      """
      9 exponent INT optional
      10 state STRING optional
      """;

  private static final String SOURCE =
      """
      9 name STRING optional
      10 state STRING optional
      """;

  private static final String CLUSTER =
      """
      9 address STRING optional
      10 role STRING optional
      11 term LONG optional
      """;

  static Stream<Arguments> columns() {
    return Stream.of(
        Arguments.of(RecordKind.TRANSACTION, COMMON + TRANSACTION),
        Arguments.of(RecordKind.ACCOUNT_CHANGE, COMMON + ACCOUNT),
        Arguments.of(RecordKind.LEDGER_CHANGE, COMMON + STRING_ENTITY + LEDGER),
        Arguments.of(RecordKind.CURRENCY_CHANGE, COMMON + STRING_ENTITY + CURRENCY),
        Arguments.of(RecordKind.SOURCE_CHANGE, COMMON + STRING_ENTITY + SOURCE),
        Arguments.of(RecordKind.CLUSTER_CHANGE, COMMON + STRING_ENTITY + CLUSTER));
  }

  @ParameterizedTest
  @MethodSource("columns")
  void columns_are_those_of_the_lake_format_in_its_order(RecordKind kind, String columns) {
    List<String> actual =
        RowSchema.of(kind).fields().stream()
            .map(
                f ->
                    f.id()
                        + " "
                        + f.name()
                        + " "
                        + f.type()
                        + " "
                        + (f.required() ? "required" : "optional"))
            .toList();
    assertThat(actual).isEqualTo(columns.lines().toList());
  }

  @Test
  void kind_codes_are_those_of_the_encodings() {
    List<String> codes =
        Arrays.stream(RecordKind.values()).map(kind -> kind.code() + " " + kind).toList();
    assertThat(codes)
        .containsExactly(
            "1 TRANSACTION",
            "2 ACCOUNT_CHANGE",
            "3 LEDGER_CHANGE",
            "4 CURRENCY_CHANGE",
            "5 SOURCE_CHANGE",
            "6 CLUSTER_CHANGE",
            "7 COVERAGE",
            "8 START");
    for (RecordKind kind : RecordKind.values()) {
      assertThat(RecordKind.ofCode(kind.code())).isSameAs(kind);
      assertThat(kind.isRow()).isEqualTo(kind.code() <= 6);
      assertThat(kind.isMetadata()).isEqualTo(kind.code() >= 2 && kind.code() <= 6);
    }
  }

  @Test
  void widths_are_those_of_the_encodings() {
    List<String> widths =
        Arrays.stream(FieldType.values()).map(type -> type + " " + type.fixedWidth()).toList();
    assertThat(widths)
        .containsExactly(
            "LONG 8",
            "INT 4",
            "TIMESTAMP 8",
            "AMOUNT 16",
            "ID128 16",
            "HASH256 32",
            "STRING -1",
            "STRING_LIST -1");
  }

  @Test
  void index_constants_point_at_the_fields_of_their_name() {
    RowSchema transaction = RowSchema.of(RecordKind.TRANSACTION);
    assertThat(
            names(
                transaction,
                RowSchema.GLOBAL_BATCH_SEQ,
                RowSchema.BATCH_SEQ,
                RowSchema.ARRAY_INDEX))
        .containsExactly("global_batch_seq", "batch_seq", "array_index");
    assertThat(
            names(
                transaction,
                RowSchema.TIMESTAMP_FIELD,
                RowSchema.RECORDED_AT,
                RowSchema.TRANSFER_ID))
        .containsExactly("timestamp", "recorded_at", "transfer_id");
    assertThat(
            names(
                transaction,
                RowSchema.TXN_ID,
                RowSchema.LEDGER_ID,
                RowSchema.SOURCE_ID,
                RowSchema.CURRENCY))
        .containsExactly("txn_id", "ledger_id", "source_id", "currency");
    assertThat(
            names(
                transaction,
                RowSchema.DEBIT_ACCOUNT_ID,
                RowSchema.CREDIT_ACCOUNT_ID,
                RowSchema.AMOUNT_FIELD))
        .containsExactly("debit_account_id", "credit_account_id", "amount");
    assertThat(
            names(
                transaction,
                RowSchema.KIND,
                RowSchema.MODE,
                RowSchema.OUTCOME,
                RowSchema.REASON_CODE))
        .containsExactly("kind", "mode", "outcome", "reason_code");
    assertThat(names(transaction, RowSchema.SETTLEMENT_ID, RowSchema.SETTLEMENT_AMOUNT))
        .containsExactly("settlement_id", "settlement_amount");
    assertThat(names(transaction, RowSchema.FIRST_FULL_RECORD_FIELD, RowSchema.DIGEST_HEX))
        .containsExactly("dr_credits_posted", "digest_hex");
    assertThat(
            names(
                RowSchema.of(RecordKind.ACCOUNT_CHANGE),
                RowSchema.ENTITY_ID,
                RowSchema.CHANGE,
                RowSchema.ORIGIN))
        .containsExactly("entity_id", "change", "origin");
  }

  private static List<String> names(RowSchema schema, int... indexes) {
    return Arrays.stream(indexes).mapToObj(index -> schema.field(index).name()).toList();
  }

  @Test
  void fields_are_found_by_name() {
    RowSchema schema = RowSchema.of(RecordKind.CURRENCY_CHANGE);
    assertThat(schema.kind()).isEqualTo(RecordKind.CURRENCY_CHANGE);
    assertThat(schema.size()).isEqualTo(10);
    assertThat(schema.indexOf("exponent")).isEqualTo(8);
    assertThat(schema.has("exponent")).isTrue();
    assertThat(schema.has("amount")).isFalse();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> schema.indexOf("amount"))
        .withMessageContaining("amount");
  }

  @Test
  void what_is_no_row_has_no_fields() {
    assertThatIllegalArgumentException().isThrownBy(() -> RowSchema.of(RecordKind.COVERAGE));
    assertThatIllegalArgumentException().isThrownBy(() -> RowSchema.of(RecordKind.START));
  }
}
