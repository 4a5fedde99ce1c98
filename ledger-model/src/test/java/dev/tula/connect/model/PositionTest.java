package dev.tula.connect.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.math.BigInteger;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PositionTest {
  @Provide
  Arbitrary<Position> positions() {
    return LedgerArbitraries.positions();
  }

  @Property
  void text_form_reads_back(@ForAll("positions") Position position) {
    assertThat(Position.parse(position.toString())).isEqualTo(position);
    assertThat(position).hasToString(position.globalBatchSeq() + ":" + position.arrayIndex());
  }

  @Property
  void order_is_that_of_the_two_numbers_side_by_side(
      @ForAll("positions") Position a, @ForAll("positions") Position b) {
    int expected = Integer.signum(asOneNumber(a).compareTo(asOneNumber(b)));
    assertThat(Integer.signum(a.compareTo(b))).isEqualTo(expected);
    assertThat(a.isAfter(b)).isEqualTo(expected > 0);
    assertThat(a.isAtOrBelow(b)).isEqualTo(expected <= 0);
    assertThat(a.equals(b)).isEqualTo(expected == 0);
    assertThat(Position.max(a, b)).isEqualTo(expected >= 0 ? a : b);
    assertThat(Position.min(a, b)).isEqualTo(expected <= 0 ? a : b);
  }

  @Property
  void order_within_a_batch_is_that_of_the_index(
      @ForAll("positions") Position a, @ForAll @IntRange(min = 0) int index) {
    if (a.globalBatchSeq() > 0) {
      Position b = new Position(a.globalBatchSeq(), index);
      assertThat(Integer.signum(a.compareTo(b))).isEqualTo(Integer.compare(a.arrayIndex(), index));
    }
  }

  private static BigInteger asOneNumber(Position position) {
    return BigInteger.valueOf(position.globalBatchSeq())
        .shiftLeft(32)
        .add(BigInteger.valueOf(position.arrayIndex()));
  }

  @Property
  void end_of_a_batch_is_after_its_records_and_before_the_next_batch(
      @ForAll("positions") Position position) {
    Position end = position.endOfBatch();
    assertThat(end.isBatchEnd()).isTrue();
    assertThat(position.isAtOrBelow(end)).isTrue();
    if (position.globalBatchSeq() < Long.MAX_VALUE) {
      assertThat(new Position(position.globalBatchSeq() + 1, 0).isAfter(end)).isTrue();
    }
  }

  @Property
  void nothing_is_before_the_origin(@ForAll("positions") Position position) {
    assertThat(Position.ORIGIN.isAtOrBelow(position)).isTrue();
  }

  @Property
  void a_batch_belongs_to_one_export_partition(
      @ForAll("positions") Position position, @ForAll @IntRange(min = 1) int partitionCount) {
    int partition = position.exportPartition(partitionCount);
    assertThat(partition).isBetween(0, partitionCount - 1);
    assertThat(position.endOfBatch().exportPartition(partitionCount)).isEqualTo(partition);
    assertThat(
            BigInteger.valueOf(position.globalBatchSeq())
                .mod(BigInteger.valueOf(partitionCount))
                .intValueExact())
        .isEqualTo(partition);
  }

  @Test
  void fixed_values_are_those_of_the_encodings() {
    assertThat(Position.ORIGIN).hasToString("0:2147483647");
    assertThat(Position.batchEnd(42)).hasToString("42:2147483647");
    assertThat(Position.FIRST_SEEDED_INDEX).isEqualTo(1073741824);
    assertThat(Position.parse("9223372036854775807:2147483646"))
        .isEqualTo(new Position(Long.MAX_VALUE, Integer.MAX_VALUE - 1));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ":",
        "1",
        "1:",
        ":1",
        "1:2:3",
        "-1:2",
        "1:-2",
        "+1:2",
        "1: 2",
        " 1:2",
        "1.0:2",
        "0x1:2",
        "0:0",
        "0:5",
        "9223372036854775808:0",
        "1:2147483648",
        "1:99999999999999999999",
        "١:٢"
      })
  void text_that_is_no_position_is_refused_by_name(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Position.parse(text))
        .withMessageContaining("position");
  }

  @Test
  void parts_out_of_range_are_refused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Position(-1, 0))
        .withMessageContaining("-1:0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Position(1, -1))
        .withMessageContaining("1:-1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Position(0, 3))
        .withMessageContaining("0:3");
    assertThatIllegalArgumentException().isThrownBy(() -> Position.batchEnd(-1));
  }
}
