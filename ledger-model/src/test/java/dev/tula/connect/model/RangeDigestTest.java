package dev.tula.connect.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class RangeDigestTest {
  private static final Range RANGE = new Range(Position.ORIGIN, Position.batchEnd(9));

  @Provide
  Arbitrary<TestRow> rows() {
    return LedgerArbitraries.rows();
  }

  /**
   * What the digest is of must be unambiguous: another name, number, range or row is another
   * digest.
   */
  @Test
  void each_part_of_what_is_digested_counts() {
    CanonicalRow row = row("EUR");
    List<byte[]> digests =
        List.of(
            RangeDigest.begin("p", 1, 0, "t", RANGE).finish(),
            RangeDigest.begin("q", 1, 0, "t", RANGE).finish(),
            RangeDigest.begin("p", 2, 0, "t", RANGE).finish(),
            RangeDigest.begin("p", 1, 1, "t", RANGE).finish(),
            RangeDigest.begin("p", 1, 0, "u", RANGE).finish(),
            RangeDigest.begin("p", 1, 0, "t", new Range(Position.batchEnd(1), Position.batchEnd(9)))
                .finish(),
            RangeDigest.begin("p", 1, 0, "t", new Range(Position.ORIGIN, Position.batchEnd(8)))
                .finish(),
            RangeDigest.begin("p", 1, 0, "t", RANGE).add(row).finish(),
            RangeDigest.begin("p", 1, 0, "t", RANGE).add(row).add(row).finish(),
            RangeDigest.begin("p", 1, 0, "t", RANGE).add(row).add(row("USD")).finish(),
            RangeDigest.begin("p", 1, 0, "t", RANGE).add(row("USD")).add(row).finish());
    Set<List<Byte>> distinct = new HashSet<>();
    for (byte[] digest : digests) {
      assertThat(digest).hasSize(RangeDigest.LENGTH);
      distinct.add(boxed(digest));
    }
    assertThat(distinct).hasSameSizeAs(digests);
  }

  @Test
  void identity_stands_for_its_pipeline_generation_and_partition() {
    StreamIdentity identity = new StreamIdentity("cluster", "p", 3, 1, 2, true, false);
    assertThat(RangeDigest.begin(identity, "t", RANGE).finish())
        .isEqualTo(RangeDigest.begin("p", 3, 1, "t", RANGE).finish());
  }

  @Property(tries = 100)
  void a_row_counts_the_same_wherever_its_bytes_lie(@ForAll("rows") TestRow values) {
    CanonicalRow row = values.write();
    byte[] elsewhere = new byte[row.length() + 20];
    System.arraycopy(row.array(), row.offset(), elsewhere, 13, row.length());
    assertThat(
            RangeDigest.begin("p", 1, 0, "t", RANGE)
                .add(CanonicalRow.of(elsewhere, 13, row.length()))
                .finish())
        .isEqualTo(RangeDigest.begin("p", 1, 0, "t", RANGE).add(row).finish());
  }

  @Test
  void chain_depends_on_every_digest_before_it() {
    byte[] a = RangeDigest.begin("p", 1, 0, "a", RANGE).finish();
    byte[] b = RangeDigest.begin("p", 1, 0, "b", RANGE).finish();
    assertThat(Chain.ZERO).hasToString("0".repeat(64));
    assertThat(Chain.ZERO.next(a).next(b)).isEqualTo(Chain.ZERO.next(a).next(b));
    assertThat(Chain.ZERO.next(a).next(b))
        .isNotEqualTo(Chain.ZERO.next(b).next(a))
        .isNotEqualTo(Chain.ZERO.next(b));
  }

  @Test
  void text_that_is_no_chain_is_refused() {
    for (String text : List.of("", "00", "0".repeat(63), "0".repeat(66), "g".repeat(64))) {
      assertThatIllegalArgumentException().as(text).isThrownBy(() -> Chain.parse(text));
    }
  }

  private static CanonicalRow row(String code) {
    RowWriter writer =
        new RowWriter().begin(RecordKind.CURRENCY_CHANGE).putLong(1).putLong(1).putInt(0);
    writer.putTimestamp(1).putTimestamp(1).putString(code).putString("created").putString("stream");
    return writer.absentToEnd().toRow();
  }

  private static List<Byte> boxed(byte[] bytes) {
    Byte[] boxed = new Byte[bytes.length];
    Arrays.setAll(boxed, i -> bytes[i]);
    return List.of(boxed);
  }
}
