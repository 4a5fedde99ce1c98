package dev.tula.connect.sink.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.MalformedRecordException;
import dev.tula.connect.model.RecordKind;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.model.RowWriter;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Which table a row belongs to, layout by layout. */
class LayoutTest {
  private static final List<String> CHANGE_TABLES =
      List.of(
          "account_changes",
          "ledger_changes",
          "currency_changes",
          "source_changes",
          "cluster_changes");

  @ParameterizedTest
  @CsvSource({
    "BY_TYPE, single_phase, default, transactions_single_phase",
    "BY_TYPE, reserve, default, transactions_reserve",
    "BY_TYPE, resolution, default, transactions_resolution",
    "BY_TYPE, rejected, default, transactions_rejected",
    "BY_TYPE, single_phase, position_settlement, transactions_tiered_single_phase",
    "BY_TYPE, reserve, position_settlement, transactions_tiered_reserve",
    "BY_TYPE, resolution, position_settlement, transactions_tiered_resolution",
    "BY_TYPE, rejected, position_settlement, transactions_tiered_rejected",
    "BY_MODE, reserve, default, transactions_default",
    "BY_MODE, rejected, position_settlement, transactions_position_settlement",
    "SHARED, single_phase, default, transactions",
    "SHARED, rejected, position_settlement, transactions",
  })
  void a_transaction_goes_to_its_table(Layout layout, String kind, String mode, String table) {
    assertThat(tableOf(layout, transaction(kind, mode))).isEqualTo(table);
  }

  @ParameterizedTest
  @EnumSource
  void a_change_goes_to_its_log_in_every_layout(Layout layout) {
    List<RecordKind> kinds =
        List.of(
            RecordKind.ACCOUNT_CHANGE,
            RecordKind.LEDGER_CHANGE,
            RecordKind.CURRENCY_CHANGE,
            RecordKind.SOURCE_CHANGE,
            RecordKind.CLUSTER_CHANGE);
    for (int i = 0; i < kinds.size(); i++) {
      assertThat(tableOf(layout, change(kinds.get(i)))).isEqualTo(CHANGE_TABLES.get(i));
    }
  }

  private static String tableOf(Layout layout, CanonicalRow row) {
    return layout.tables(true, false).get(layout.route(row, new RowReader().wrap(row))).name();
  }

  private static CanonicalRow transaction(String kind, String mode) {
    return new RowWriter()
        .begin(RecordKind.TRANSACTION)
        .putLong(1)
        .putLong(1)
        .putInt(0)
        .putTimestamp(0)
        .putTimestamp(0)
        .putId(0, 1)
        .putId(0, 1)
        .putInt(1)
        .putInt(1)
        .putString("EUR")
        .putId(0, 1)
        .putId(0, 2)
        .putAmount(1)
        .putString(kind)
        .putString(mode)
        .putString("posted")
        .absentToEnd()
        .toRow();
  }

  private static CanonicalRow change(RecordKind kind) {
    RowWriter writer = new RowWriter().begin(kind);
    writer.putLong(1).putLong(1).putInt(0).putTimestamp(0).putTimestamp(0);
    if (kind == RecordKind.ACCOUNT_CHANGE) {
      writer.putId(0, 1);
    } else {
      writer.putString("x");
    }
    return writer.putString("created").putString("stream").absentToEnd().toRow();
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("I7: an unknown kind or mode is refused in every layout, never guessed at")
  void an_unknown_kind_or_mode_is_refused(Layout layout) {
    for (CanonicalRow row :
        List.of(transaction("swap", "default"), transaction("reserve", "tiered"))) {
      assertThatThrownBy(() -> layout.route(row, new RowReader().wrap(row)))
          .isInstanceOf(MalformedRecordException.class)
          .hasMessageContaining("1:0");
    }
  }

  @Test
  void tables_are_listed_with_and_without_metadata() {
    assertThat(names(Layout.BY_TYPE, false))
        .hasSize(8)
        .allMatch(n -> n.startsWith("transactions_"));
    assertThat(names(Layout.BY_MODE, false))
        .containsExactly("transactions_default", "transactions_position_settlement");
    assertThat(names(Layout.SHARED, false)).containsExactly("transactions");
    for (Layout layout : Layout.values()) {
      assertThat(names(layout, true))
          .startsWith(names(layout, false).toArray(String[]::new))
          .endsWith(CHANGE_TABLES.toArray(String[]::new))
          .doesNotHaveDuplicates();
    }
  }

  private static List<String> names(Layout layout, boolean metadata) {
    return layout.tables(metadata, false).stream().map(LogicalTable::name).toList();
  }

  @Test
  void only_transactions_have_amounts_and_full_records() {
    for (LogicalTable table : Layout.BY_MODE.tables(true, true)) {
      boolean transactions = table.kind() == RecordKind.TRANSACTION;
      assertThat(table.hasAmounts()).isEqualTo(transactions);
      assertThat(table.fullTxnRecord()).isEqualTo(transactions);
    }
  }

  @ParameterizedTest
  @EnumSource
  void a_layout_is_found_by_its_name_in_configurations(Layout layout) {
    assertThat(layout.configName()).isEqualTo(layout.name().toLowerCase(Locale.ROOT));
    assertThat(Layout.ofConfigName(layout.configName())).isEqualTo(layout);
    assertThatThrownBy(() -> Layout.ofConfigName("by_day"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("by_day")
        .hasMessageContaining("by_type");
  }

  @Test
  void physical_names_take_generation_and_partition() {
    assertThat(new TableNames(1, 1).physical("watermark", 0)).isEqualTo("watermark");
    assertThat(new TableNames(2, 1).physical("watermark", 0)).isEqualTo("watermark_g2");
    assertThat(new TableNames(1, 4).physical("watermark", 3)).isEqualTo("watermark_p3");
    assertThat(new TableNames(3, 4).physical("watermark", 0)).isEqualTo("watermark_g3_p0");
    assertThat(new TableNames(3, 4).pipeline()).isEqualTo("tula_pipeline_g3");
  }
}
