package dev.tula.connect.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaAndValue;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.storage.Converter;
import org.junit.jupiter.api.Test;

class LedgerConverterTest {
  private static final String TOPIC = "ledger";
  private static final StreamIdentity IDENTITY =
      new StreamIdentity("c1", "ledger", 2, 1, 4, true, false);

  private final LedgerConverter converter = new LedgerConverter();

  @Provide
  Arbitrary<StreamItem> items() {
    return LedgerArbitraries.items();
  }

  @Provide
  Arbitrary<byte[]> noise() {
    return Arbitraries.bytes().array(byte[].class).ofMaxSize(200);
  }

  @Property
  @Label("The compact form keeps every byte (I8)")
  void every_item_comes_back_with_the_same_bytes(@ForAll("items") StreamItem item) {
    SchemaAndValue out = ConnectRecords.toConnect(item);
    byte[] bytes = converter.fromConnectData(TOPIC, out.schema(), out.value());
    SchemaAndValue in = converter.toConnectData(TOPIC, bytes);
    assertThat(in.schema()).isSameAs(ConnectSchemas.of(item.kind()));
    assertThat(ConnectRecords.fromConnect(in.schema(), in.value())).isEqualTo(item);
    assertThat(in.value()).isEqualTo(out.value());
  }

  @Property
  void a_row_passes_through_as_a_slice(@ForAll("items") StreamItem item) {
    if (item instanceof StreamItem.Row row) {
      byte[] bytes = LedgerConverter.encode(item);
      CanonicalRow decoded = ((StreamItem.Row) LedgerConverter.decode(bytes)).row();
      assertThat(decoded.array()).isSameAs(bytes);
      assertThat(decoded.offset()).isEqualTo(14);
      assertThat(decoded.toByteArray()).isEqualTo(row.row().toByteArray());
    }
  }

  @Property(tries = 5_000)
  void mutated_bytes_are_refused_as_data_errors_or_are_another_item(
      @ForAll("items") StreamItem item, @ForAll List<Integer> mutations) {
    byte[] bytes = LedgerConverter.encode(item);
    for (int mutation : mutations) {
      bytes[Math.floorMod(mutation >> 8, bytes.length)] = (byte) mutation;
    }
    readsOrIsRefused(bytes);
  }

  @Property
  void cut_or_longer_bytes_are_refused(@ForAll("items") StreamItem item, @ForAll int seed) {
    byte[] bytes = LedgerConverter.encode(item);
    byte[] cut = Arrays.copyOf(bytes, Math.floorMod(seed, bytes.length));
    byte[] longer = Arrays.copyOf(bytes, bytes.length + 1 + Math.floorMod(seed, 50));
    for (byte[] other : List.of(cut, longer)) {
      assertThatThrownBy(() -> allFields(converter.toConnectData(TOPIC, other)))
          .isInstanceOfAny(DataException.class, MalformedRecordException.class);
    }
  }

  @Property
  void noise_is_refused(@ForAll("noise") byte[] noise) {
    readsOrIsRefused(noise);
    if (noise.length > 1) {
      noise[0] = LedgerConverter.VERSION;
      noise[1] = (byte) Math.floorMod(noise[1], 10);
      readsOrIsRefused(noise);
    }
  }

  private void readsOrIsRefused(byte[] bytes) {
    SchemaAndValue value;
    try {
      value = converter.toConnectData(TOPIC, bytes);
      allFields(value);
    } catch (DataException | MalformedRecordException e) {
      assertThat(e.getMessage()).isNotBlank();
      return;
    }
    assertThat(converter.fromConnectData(TOPIC, value.schema(), value.value())).isEqualTo(bytes);
  }

  private static void allFields(SchemaAndValue value) {
    ((Struct) value.value()).validate();
  }

  @Test
  void compact_forms_are_these_bytes() {
    RowWriter writer =
        new RowWriter().begin(RecordKind.CURRENCY_CHANGE).putLong(7).putLong(2).putInt(3);
    writer
        .putTimestamp(1)
        .putTimestamp(2)
        .putString("EUR")
        .putString("created")
        .putString("stream");
    CanonicalRow row = writer.absentToEnd().toRow();
    assertThat(hex(new StreamItem.Row(Position.batchEnd(3), row)))
        .isEqualTo(
            "0104" + "0000000000000003" + "7fffffff" + HexFormat.of().formatHex(row.toByteArray()));
    String identity =
        "00000002"
            + "6331"
            + "00000006"
            + "6c6564676572"
            + "00000002"
            + "00000001"
            + "00000004"
            + "01";
    assertThat(hex(new StreamItem.Coverage(Position.ORIGIN, new Position(9, 5), -1, IDENTITY)))
        .isEqualTo(
            "0107"
                + "00000000000000007fffffff"
                + "000000000000000900000005"
                + "ffffffffffffffff"
                + identity);
    assertThat(hex(new StreamItem.Start(Position.ORIGIN, 10, IDENTITY)))
        .isEqualTo("0108" + "00000000000000007fffffff" + "000000000000000a" + identity);
  }

  private static String hex(StreamItem item) {
    return HexFormat.of().formatHex(LedgerConverter.encode(item));
  }

  @Test
  void tombstones_and_nulls_pass() {
    assertThat(converter.toConnectData(TOPIC, null)).isEqualTo(SchemaAndValue.NULL);
    assertThat(converter.fromConnectData(TOPIC, null, null)).isNull();
  }

  @Test
  void bytes_of_another_converter_are_refused_with_what_to_do() {
    assertThatExceptionOfType(DataException.class)
        .isThrownBy(
            () -> converter.toConnectData(TOPIC, "{\"schema\":{\"type\":\"struct\"}}".getBytes()))
        .withMessageContaining("topic ledger")
        .withMessageContaining("another converter");
  }

  @Test
  void values_that_are_no_ledger_record_are_refused() {
    assertThatExceptionOfType(DataException.class)
        .isThrownBy(() -> converter.fromConnectData(TOPIC, Schema.STRING_SCHEMA, "x"))
        .withMessageContaining("String");
    assertThatExceptionOfType(DataException.class)
        .isThrownBy(() -> converter.fromConnectData(TOPIC, null, Map.of("record_kind", 1)))
        .withMessageContaining("ledger records only");
  }

  @Test
  void a_worker_finds_it_as_a_plugin() {
    assertThat(ServiceLoader.load(Converter.class).stream().map(ServiceLoader.Provider::type))
        .contains(LedgerConverter.class);
    assertThat(converter.version()).isNotBlank();
    assertThat(converter.config().names()).isEmpty();
  }
}
