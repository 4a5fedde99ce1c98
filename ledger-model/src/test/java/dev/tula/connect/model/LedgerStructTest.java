package dev.tula.connect.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.DataException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LedgerStructTest {
  private static final StreamItem ITEM = new StreamItem.Row(Position.batchEnd(3), row("EUR"));

  private static CanonicalRow row(String code) {
    RowWriter writer =
        new RowWriter().begin(RecordKind.CURRENCY_CHANGE).putLong(7).putLong(2).putInt(3);
    writer.putTimestamp(1).putTimestamp(2).putString(code).putString("created").putString("stream");
    return writer.putInt(2).absent().toRow();
  }

  private static LedgerStruct struct() {
    return (LedgerStruct) ConnectRecords.toConnect(ITEM).value();
  }

  @Test
  void looking_at_fields_keeps_the_item() {
    LedgerStruct struct = struct();
    assertThat(struct.getString("entity_id")).isEqualTo("EUR");
    assertThat(struct.getInt8("record_kind")).isEqualTo(RecordKind.CURRENCY_CHANGE.code());
    assertThat(struct.getInt64("pred_global_batch_seq")).isEqualTo(3);
    assertThat(struct.getInt32("exponent")).isEqualTo(2);
    assertThat(struct.get("state")).isNull();
    struct.validate();
    assertThat(struct.item()).containsSame(ITEM);
  }

  /** Whichever accessor comes first must find the fields filled. */
  @Test
  void every_accessor_fills_the_fields_first() {
    assertThat(struct().get("entity_id")).isEqualTo("EUR");
    assertThat(struct().get(struct().schema().field("entity_id"))).isEqualTo("EUR");
    assertThat(struct().getWithoutDefault("entity_id")).isEqualTo("EUR");
    assertThat(struct().getString("entity_id")).isEqualTo("EUR");
    assertThat(struct().getInt8("record_kind")).isEqualTo((byte) 4);
    assertThat(struct().getInt32("array_index")).isEqualTo(3);
    assertThat(struct().getInt64("recorded_at")).isEqualTo(2);
    assertThat(struct()).hasToString(plain(struct()).toString());
    assertThat(struct()).isEqualTo(struct()).hasSameHashCodeAs(struct());
    struct().validate();
    StreamIdentity identity = new StreamIdentity("c", "p", 1, 0, 1, true, false);
    Struct start =
        (Struct)
            ConnectRecords.toConnect(new StreamItem.Start(Position.ORIGIN, 5, identity)).value();
    assertThat(start.getBoolean("include_metadata")).isTrue();
    assertThat(listStruct().<String>getArray("currencies")).containsExactly("EUR", "USD");
    assertThat(amountStruct().get("debit_limit")).isEqualTo(new BigDecimal(-5));
    for (Consumer<Struct> other :
        List.<Consumer<Struct>>of(
            struct -> struct.getInt16("entity_id"),
            struct -> struct.getFloat32("entity_id"),
            struct -> struct.getFloat64("entity_id"),
            struct -> struct.getBytes("entity_id"),
            struct -> struct.getMap("entity_id"),
            struct -> struct.getStruct("entity_id"))) {
      assertThatExceptionOfType(DataException.class).isThrownBy(() -> other.accept(struct()));
    }
  }

  /** A Kafka that adds a way into a Struct must not find the fields empty. */
  @Test
  void no_public_method_of_struct_is_left_without_an_override() {
    Set<String> own = methods(LedgerStruct.class);
    Set<String> struct = methods(Struct.class);
    struct.remove("schema()");
    assertThat(own).containsAll(struct);
  }

  private static Set<String> methods(Class<?> type) {
    return Arrays.stream(type.getDeclaredMethods())
        .filter(method -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic())
        .map(LedgerStructTest::signature)
        .collect(Collectors.toSet());
  }

  private static String signature(Method method) {
    return method.getName()
        + Arrays.stream(method.getParameterTypes())
            .map(Class::getSimpleName)
            .collect(Collectors.joining(",", "(", ")"));
  }

  @Test
  @DisplayName("A changed Struct is what its fields say, not what it carried (I7)")
  void a_changed_field_drops_the_carried_bytes_and_is_encoded_anew() {
    StreamItem changed = new StreamItem.Row(Position.batchEnd(3), row("USD"));
    LedgerStruct byName = struct();
    byName.put("entity_id", "USD");
    LedgerStruct byField = struct();
    byField.put(byField.schema().field("entity_id"), "USD");
    LedgerConverter converter = new LedgerConverter();
    for (LedgerStruct struct : List.of(byName, byField)) {
      assertThat(struct.item()).isEmpty();
      assertThat(ConnectRecords.fromConnect(struct.schema(), struct)).isEqualTo(changed);
      assertThat(converter.fromConnectData("ledger", struct.schema(), struct))
          .isEqualTo(LedgerConverter.encode(changed));
    }
  }

  @Test
  void a_row_that_turns_out_malformed_is_refused_at_every_look() {
    byte[] bytes = row("EUR").toByteArray();
    bytes[bytes.length - 1] = 7;
    StreamItem item = new StreamItem.Row(Position.batchEnd(3), CanonicalRow.of(bytes));
    Struct struct = (Struct) ConnectRecords.toConnect(item).value();
    for (int look = 0; look < 3; look++) {
      assertThatExceptionOfType(MalformedRecordException.class)
          .isThrownBy(() -> struct.get("exponent"));
    }
  }

  /** Connect keeps the records of a transaction in a hash table: nothing of it may cost a look. */
  @Test
  void a_hash_code_is_to_be_had_without_a_look_at_the_fields() {
    byte[] bytes = row("EUR").toByteArray();
    bytes[bytes.length - 1] = 7;
    StreamItem item = new StreamItem.Row(Position.batchEnd(3), CanonicalRow.of(bytes));
    assertThat(ConnectRecords.toConnect(item).value()).hasSameHashCodeAs(struct());
    StreamItem other = new StreamItem.Row(Position.batchEnd(2), row("EUR"));
    assertThat(ConnectRecords.toConnect(other).value()).doesNotHaveSameHashCodeAs(struct());
  }

  @Test
  void what_is_changed_to_the_same_is_equal_and_has_the_same_hash_code() {
    LedgerStruct changed = struct();
    changed.put("entity_id", "USD");
    changed.put("entity_id", "EUR");
    assertThat(changed.item()).isEmpty();
    assertThat(changed).isEqualTo(struct()).hasSameHashCodeAs(struct());
    changed.put("pred_global_batch_seq", 2L);
    StreamItem other = new StreamItem.Row(Position.batchEnd(2), row("EUR"));
    assertThat(changed)
        .isEqualTo(ConnectRecords.toConnect(other).value())
        .hasSameHashCodeAs(ConnectRecords.toConnect(other).value());
  }

  @Test
  void a_change_after_a_look_counts_too() {
    LedgerStruct struct = struct();
    assertThat(struct.getString("entity_id")).isEqualTo("EUR");
    struct.put("pred_global_batch_seq", 4L);
    assertThat(ConnectRecords.fromConnect(struct.schema(), struct))
        .isEqualTo(new StreamItem.Row(Position.batchEnd(4), row("EUR")));
  }

  @Test
  void a_change_to_nonsense_is_refused() {
    LedgerStruct struct = struct();
    struct.put("global_batch_seq", -1L);
    assertThatExceptionOfType(MalformedRecordException.class)
        .isThrownBy(() -> ConnectRecords.fromConnect(struct.schema(), struct));
  }

  @Test
  void lists_can_not_be_changed_behind_the_items_back() {
    List<Object> currencies = listStruct().getArray("currencies");
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> currencies.add("JPY"));
  }

  private static Struct listStruct() {
    RowWriter writer =
        new RowWriter().begin(RecordKind.LEDGER_CHANGE).putLong(7).putLong(2).putInt(3);
    writer.putTimestamp(1).putTimestamp(2).putString("1").putString("created").putString("stream");
    CanonicalRow row = writer.absent().absent().putStringList(List.of("EUR", "USD")).toRow();
    return (Struct) ConnectRecords.toConnect(new StreamItem.Row(Position.ORIGIN, row)).value();
  }

  private static Struct amountStruct() {
    RowWriter writer =
        new RowWriter().begin(RecordKind.ACCOUNT_CHANGE).putLong(7).putLong(2).putInt(3);
    writer.putTimestamp(1).putTimestamp(2).putId(0, 1).putString("created").putString("stream");
    CanonicalRow row = writer.absent().absent().absent().putAmount(-5).absentToEnd().toRow();
    return (Struct) ConnectRecords.toConnect(new StreamItem.Row(Position.ORIGIN, row)).value();
  }

  private static Struct plain(Struct struct) {
    Struct copy = new Struct(struct.schema());
    struct.schema().fields().forEach(field -> copy.put(field, struct.get(field)));
    return copy;
  }
}
