package dev.tula.connect.sink.lake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.sink.engine.LogicalTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SortOrder;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.types.Type;
import org.apache.iceberg.types.Types;
import org.apache.iceberg.types.Types.NestedField;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every way in which a table's columns may differ from what was created (I6). */
class SchemaFaultsTest {
  private static final LogicalTable TRANSACTIONS = LakeFixture.TRANSACTIONS;
  private static final LogicalTable LEDGERS =
      LakeFixture.IDENTITY.tables().stream()
          .filter(table -> table.name().equals("ledger_changes"))
          .findFirst()
          .orElseThrow();
  private static final int NEW_ID = 1_000;

  private static Optional<String> fault(LogicalTable table, UnaryOperator<List<NestedField>> edit) {
    Schema expected = LakeSchemas.of(table, 28);
    Schema actual = new Schema(edit.apply(new ArrayList<>(expected.columns())));
    return SchemaFaults.of(metadata(actual, SortOrder.unsorted()), expected);
  }

  private static TableMetadata metadata(Schema schema, SortOrder order) {
    return TableMetadata.newTableMetadata(
        schema, PartitionSpec.unpartitioned(), order, "file:/t", Map.of());
  }

  private static UnaryOperator<List<NestedField>> with(
      String name, UnaryOperator<NestedField.Builder> edit) {
    return columns ->
        columns.stream()
            .map(
                column ->
                    column.name().equals(name)
                        ? edit.apply(NestedField.from(column)).build()
                        : column)
            .toList();
  }

  private static UnaryOperator<List<NestedField>> retyped(String name, Type type) {
    return with(name, column -> column.ofType(type));
  }

  private static UnaryOperator<List<NestedField>> plus(NestedField added) {
    return columns -> {
      columns.add(0, added);
      return columns;
    };
  }

  static Stream<Arguments> tolerated() {
    return Stream.of(
        Arguments.of("nothing", (UnaryOperator<List<NestedField>>) columns -> columns),
        Arguments.of("a comment", with("amount", column -> column.withDoc("cents"))),
        Arguments.of("a wider decimal", retyped("amount", Types.DecimalType.of(38, 0))),
        Arguments.of("a column made optional", with("amount", NestedField.Builder::asOptional)),
        Arguments.of(
            "an added optional column",
            plus(NestedField.optional(NEW_ID, "loaded_by", Types.StringType.get()))),
        Arguments.of(
            "another order of columns",
            (UnaryOperator<List<NestedField>>)
                columns -> {
                  columns.add(columns.remove(0));
                  return columns;
                }));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("tolerated")
  void change_that_keeps_every_value_is_tolerated(
      String name, UnaryOperator<List<NestedField>> edit) {
    assertThat(fault(TRANSACTIONS, edit)).isEmpty();
  }

  @Test
  void sort_order_is_tolerated() {
    Schema expected = LakeSchemas.of(TRANSACTIONS, 28);
    SortOrder order = SortOrder.builderFor(expected).asc("txn_id").build();

    assertThat(SchemaFaults.of(metadata(expected, order), expected)).isEmpty();
  }

  static Stream<Arguments> refused() {
    return Stream.of(
        Arguments.of(
            "column amount is missing",
            (UnaryOperator<List<NestedField>>)
                columns -> {
                  columns.removeIf(column -> column.name().equals("amount"));
                  return columns;
                }),
        Arguments.of(
            "column amount is missing", with("amount", column -> column.withName("Amount"))),
        Arguments.of(
            "column amount is decimal(27, 0) and was created as decimal(28, 0)",
            retyped("amount", Types.DecimalType.of(27, 0))),
        Arguments.of(
            "column amount is decimal(30, 2) and was created as decimal(28, 0)",
            retyped("amount", Types.DecimalType.of(30, 2))),
        Arguments.of(
            "column ledger_id is long and was created as int",
            retyped("ledger_id", Types.LongType.get())),
        Arguments.of(
            "column timestamp is timestamp and was created as timestamptz",
            retyped("timestamp", Types.TimestampType.withoutZone())),
        Arguments.of(
            "column txn_id is uuid and was created as string",
            retyped("txn_id", Types.UUIDType.get())),
        Arguments.of(
            "column settlement_id became required",
            with("settlement_id", NestedField.Builder::asRequired)),
        Arguments.of(
            "column loaded_by was added as required",
            plus(NestedField.required(NEW_ID, "loaded_by", Types.StringType.get()))));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("refused")
  void change_that_could_lose_a_value_is_named(
      String fault, UnaryOperator<List<NestedField>> edit) {
    assertThat(fault(TRANSACTIONS, edit).orElseThrow()).contains(fault);
  }

  @Test
  void list_of_another_type_is_a_fault_and_one_with_optional_items_is_not() {
    assertThat(
            fault(
                LEDGERS,
                retyped("currencies", Types.ListType.ofOptional(NEW_ID, Types.StringType.get()))))
        .isEmpty();
    assertThat(
            fault(
                LEDGERS,
                retyped("currencies", Types.ListType.ofRequired(NEW_ID, Types.BinaryType.get()))))
        .isPresent();
  }

  @Test
  void every_fault_is_named_at_once() {
    assertThat(
            fault(
                    TRANSACTIONS,
                    columns -> {
                      columns.removeIf(column -> column.name().startsWith("cr_"));
                      return columns;
                    })
                .orElseThrow())
        .contains("cr_credits_posted", "cr_debits_posted", "cr_available");
  }
}
