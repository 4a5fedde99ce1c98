package dev.tula.connect.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CanonicalRowTest {
  private static final String ID = "00000000000000000000000000000001";

  @Provide
  Arbitrary<TestRow> rows() {
    return LedgerArbitraries.rows();
  }

  @Provide
  Arbitrary<byte[]> noise() {
    return Arbitraries.bytes().array(byte[].class).ofMaxSize(400);
  }

  @Property
  void what_is_written_reads_back_in_every_kind(@ForAll("rows") TestRow values) {
    CanonicalRow row = values.write();
    assertThat(TestRow.read(row)).isEqualTo(values);
    assertThat(row.kind()).isEqualTo(values.kind());
    assertThat(row.position())
        .isEqualTo(new Position((Long) values.values().get(0), (Integer) values.values().get(2)));
    assertThat(row.timestampMicros()).isEqualTo(values.values().get(3));
    assertThat(row.recordedAtMicros()).isEqualTo(values.values().get(4));
  }

  @Property
  void a_slice_of_a_larger_array_is_the_same_row(
      @ForAll("rows") TestRow values, @ForAll("noise") byte[] before) {
    byte[] alone = values.write().toByteArray();
    byte[] amid = Arrays.copyOf(before, before.length + alone.length + 7);
    System.arraycopy(alone, 0, amid, before.length, alone.length);
    CanonicalRow slice = CanonicalRow.of(amid, before.length, alone.length);
    assertThat(slice).isEqualTo(CanonicalRow.of(alone)).hasSameHashCodeAs(CanonicalRow.of(alone));
    assertThat(slice.toByteArray()).isEqualTo(alone);
    assertThat(TestRow.read(slice)).isEqualTo(values);
  }

  @Property
  void values_lie_where_the_reader_says(@ForAll("rows") TestRow values) {
    CanonicalRow row = values.write();
    RowReader reader = new RowReader().wrap(row);
    for (int i = 0; i < reader.schema().size(); i++) {
      if (reader.isPresent(i) && reader.schema().field(i).type() == FieldType.STRING) {
        int from = reader.valueOffset(i);
        byte[] utf8 = Arrays.copyOfRange(reader.array(), from, from + reader.valueLength(i));
        assertThat(reader.stringEquals(i, utf8)).isTrue();
        assertThat(new String(utf8, java.nio.charset.StandardCharsets.UTF_8))
            .isEqualTo(values.values().get(i));
        assertThat(reader.stringEquals(i, Arrays.copyOf(utf8, utf8.length + 1))).isFalse();
      }
    }
  }

  @Property
  void a_row_cut_anywhere_is_refused(@ForAll("rows") TestRow values, @ForAll int seed) {
    byte[] whole = values.write().toByteArray();
    byte[] cut = Arrays.copyOf(whole, Math.floorMod(seed, whole.length));
    assertThatExceptionOfType(MalformedRecordException.class)
        .isThrownBy(() -> new RowReader().wrap(CanonicalRow.of(cut)));
  }

  @Property
  void a_row_with_bytes_after_it_is_refused(@ForAll("rows") TestRow values, @ForAll byte extra) {
    byte[] whole = values.write().toByteArray();
    byte[] longer = Arrays.copyOf(whole, whole.length + 1);
    longer[whole.length] = extra;
    assertThatExceptionOfType(MalformedRecordException.class)
        .isThrownBy(() -> new RowReader().wrap(CanonicalRow.of(longer)));
  }

  @Property(tries = 5_000)
  void mutated_bytes_are_refused_as_malformed_or_are_another_row(
      @ForAll("rows") TestRow values, @ForAll List<Integer> mutations) {
    byte[] bytes = values.write().toByteArray();
    for (int mutation : mutations) {
      bytes[Math.floorMod(mutation >> 8, bytes.length)] = (byte) mutation;
    }
    readsOrIsMalformed(bytes);
  }

  @Property
  void noise_is_refused_as_malformed(
      @ForAll("noise") byte[] bytes, @ForAll boolean plausibleBegin) {
    if (plausibleBegin && bytes.length > 1) {
      bytes[0] = CanonicalRow.FORMAT;
      bytes[1] = (byte) (1 + Math.floorMod(bytes[1], 6));
    }
    readsOrIsMalformed(bytes);
  }

  /**
   * There is one form of each row: bytes that read at all are exactly those that the values write
   * (I8).
   */
  private static void readsOrIsMalformed(byte[] bytes) {
    TestRow values;
    try {
      values = TestRow.read(CanonicalRow.of(bytes));
    } catch (MalformedRecordException e) {
      assertThat(e.getMessage()).isNotBlank();
      return;
    }
    assertThat(values.write().toByteArray()).isEqualTo(bytes);
  }

  @Test
  void a_claimed_length_beyond_the_row_allocates_nothing() {
    byte[] bytes = currency("EUR").toByteArray();
    int lengthAt = 2 + 9 + 9 + 5 + 9 + 9 + 1;
    bytes[lengthAt] = 0x7F;
    assertThatExceptionOfType(MalformedRecordException.class)
        .isThrownBy(() -> new RowReader().wrap(CanonicalRow.of(bytes)))
        .withMessageContaining("entity_id");
  }

  @Test
  void presence_other_than_0_or_1_is_refused_from_the_header_on() {
    for (int at : new int[] {2, 11, 20, 25, 34}) {
      byte[] bytes = currency("EUR").toByteArray();
      bytes[at] = 3;
      assertThatExceptionOfType(MalformedRecordException.class)
          .as("presence byte at %d", at)
          .isThrownBy(() -> CanonicalRow.of(bytes));
    }
  }

  @Test
  void bytes_that_are_not_utf8_are_refused() {
    byte[] bytes = currency("EUR").toByteArray();
    int textAt = 2 + 9 + 9 + 5 + 9 + 9 + 1 + 4;
    bytes[textAt] = (byte) 0xFF;
    assertThatExceptionOfType(MalformedRecordException.class)
        .isThrownBy(() -> new RowReader().wrap(CanonicalRow.of(bytes)))
        .withMessageContaining("entity_id")
        .withMessageContaining("UTF-8");
  }

  @Test
  void half_a_character_is_refused_rather_than_written_as_a_question_mark() {
    assertThatExceptionOfType(MalformedRecordException.class)
        .isThrownBy(() -> currency("E\uD800R"))
        .withMessageContaining("entity_id");
    RowWriter writer =
        head(RecordKind.LEDGER_CHANGE).putString("7").putString("created").putString("stream");
    assertThatExceptionOfType(MalformedRecordException.class)
        .isThrownBy(() -> writer.absent().absent().putStringList(List.of("EUR", "\uDC00")))
        .withMessageContaining("currencies");
  }

  private static RowWriter head(RecordKind kind) {
    return new RowWriter()
        .begin(kind)
        .putLong(7)
        .putLong(7)
        .putInt(0)
        .putTimestamp(1)
        .putTimestamp(2);
  }

  private static CanonicalRow currency(String code) {
    return head(RecordKind.CURRENCY_CHANGE)
        .putString(code)
        .putString("created")
        .putString("stream")
        .absentToEnd()
        .toRow();
  }

  @Test
  void format_and_kind_are_checked_first() {
    byte[] otherFormat = currency("EUR").toByteArray();
    otherFormat[0] = 2;
    assertThatExceptionOfType(MalformedRecordException.class)
        .isThrownBy(() -> CanonicalRow.of(otherFormat))
        .withMessageContaining("format 2");
    for (byte kind : new byte[] {0, 7, 8, 9, -1}) {
      byte[] bytes = currency("EUR").toByteArray();
      bytes[1] = kind;
      assertThatExceptionOfType(MalformedRecordException.class)
          .isThrownBy(() -> CanonicalRow.of(bytes))
          .withMessageContaining("kind " + kind);
    }
  }

  @Test
  void positions_that_no_record_can_have_are_refused() {
    RowWriter batchZero =
        new RowWriter().begin(RecordKind.CURRENCY_CHANGE).putLong(0).putLong(0).putInt(0);
    RowWriter batchEnd =
        new RowWriter()
            .begin(RecordKind.CURRENCY_CHANGE)
            .putLong(1)
            .putLong(1)
            .putInt(Position.BATCH_END_INDEX);
    RowWriter negative =
        new RowWriter().begin(RecordKind.CURRENCY_CHANGE).putLong(-1).putLong(1).putInt(0);
    for (RowWriter writer : List.of(batchZero, batchEnd, negative)) {
      writer
          .putTimestamp(1)
          .putTimestamp(1)
          .putString("EUR")
          .putString("created")
          .putString("stream")
          .absentToEnd();
      assertThatExceptionOfType(MalformedRecordException.class)
          .isThrownBy(writer::toRow)
          .withMessageContaining("position");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "01",
        ID + "0",
        "0000000000000000000000000000000G",
        "0000000000000000000000000000000A",
        "００"
      })
  void hex_that_is_not_the_one_form_of_an_id_is_refused(String hex) {
    assertThatExceptionOfType(MalformedRecordException.class)
        .isThrownBy(() -> head(RecordKind.TRANSACTION).putHex(hex))
        .withMessageContaining("transfer_id");
  }

  @Test
  void amounts_beyond_16_bytes_are_refused() {
    BigInteger max = BigInteger.ONE.shiftLeft(127).subtract(BigInteger.ONE);
    RowWriter writer =
        head(RecordKind.ACCOUNT_CHANGE)
            .putHex(ID)
            .putString("updated")
            .putString("stream")
            .absent()
            .absent()
            .absent();
    assertThatExceptionOfType(MalformedRecordException.class)
        .isThrownBy(() -> writer.putAmount(max.add(BigInteger.ONE)))
        .withMessageContaining("128 bits");
    assertThatExceptionOfType(MalformedRecordException.class)
        .isThrownBy(() -> writer.putAmount(max.negate().subtract(BigInteger.TWO)));
    CanonicalRow row = writer.putAmount(max).putAmount(max.not()).absentToEnd().toRow();
    RowReader reader = new RowReader().wrap(row);
    int debitLimit = reader.schema().indexOf("debit_limit");
    assertThat(reader.amount(debitLimit)).isEqualTo(max);
    assertThat(reader.amount(debitLimit + 1)).isEqualTo(max.not());
    assertThat(reader.amountHigh(debitLimit + 1)).isEqualTo(Long.MIN_VALUE);
    assertThat(reader.amountLow(debitLimit + 1)).isZero();
  }

  @Test
  void halves_and_hex_write_the_same_id() {
    CanonicalRow byHalves =
        head(RecordKind.ACCOUNT_CHANGE)
            .putId(-1, 1)
            .putString("a")
            .putString("b")
            .absentToEnd()
            .toRow();
    CanonicalRow byHex =
        head(RecordKind.ACCOUNT_CHANGE)
            .putHex("ffffffffffffffff0000000000000001")
            .putString("a")
            .putString("b")
            .absentToEnd()
            .toRow();
    assertThat(byHalves).isEqualTo(byHex);
  }

  @Test
  void a_field_out_of_turn_or_left_out_is_the_callers_mistake() {
    assertThatIllegalStateException()
        .isThrownBy(() -> new RowWriter().begin(RecordKind.TRANSACTION).putInt(1))
        .withMessageContaining("global_batch_seq");
    assertThatIllegalStateException()
        .isThrownBy(() -> head(RecordKind.TRANSACTION).toRow())
        .withMessageContaining("transfer_id");
    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                head(RecordKind.SOURCE_CHANGE)
                    .putString("1")
                    .putString("a")
                    .putString("b")
                    .absentToEnd()
                    .absent());
    assertThatExceptionOfType(MalformedRecordException.class)
        .isThrownBy(() -> head(RecordKind.TRANSACTION).absent())
        .withMessageContaining("transfer_id");
  }

  @Test
  void one_writer_makes_many_rows_and_they_do_not_share_bytes() {
    RowWriter writer = new RowWriter();
    CanonicalRow first = fill(writer, "EUR");
    CanonicalRow second = fill(writer, "a much longer code ".repeat(100));
    CanonicalRow third = fill(writer, "X");
    assertThat(TestRow.read(first).values().get(RowSchema.ENTITY_ID)).isEqualTo("EUR");
    assertThat(TestRow.read(second).values().get(RowSchema.ENTITY_ID))
        .isEqualTo("a much longer code ".repeat(100));
    assertThat(TestRow.read(third).values().get(RowSchema.ENTITY_ID)).isEqualTo("X");
    int length = writer.end();
    assertThat(Arrays.copyOf(writer.buffer(), length)).isEqualTo(third.toByteArray());
  }

  private static CanonicalRow fill(RowWriter writer, String code) {
    writer
        .begin(RecordKind.CURRENCY_CHANGE)
        .putLong(7)
        .putLong(7)
        .putInt(0)
        .putTimestamp(1)
        .putTimestamp(2);
    return writer.putString(code).putString("created").putString("stream").absentToEnd().toRow();
  }
}
