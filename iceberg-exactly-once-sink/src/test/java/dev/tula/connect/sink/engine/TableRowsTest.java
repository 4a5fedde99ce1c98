package dev.tula.connect.sink.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.model.RangeDigest;
import dev.tula.connect.model.RecordKind;
import dev.tula.connect.model.RowWriter;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** A range's rows in memory: their sum and digest against the simple way (I8). */
class TableRowsTest {
  private static final BigInteger MAX = BigInteger.ONE.shiftLeft(127).subtract(BigInteger.ONE);
  private static final BigInteger MIN = BigInteger.ONE.shiftLeft(127).negate();

  @Provide
  Arbitrary<List<BigInteger>> amounts() {
    return Arbitraries.oneOf(
            Arbitraries.bigIntegers().between(MIN, MAX),
            Arbitraries.longs().map(BigInteger::valueOf),
            Arbitraries.of(
                MIN,
                MAX,
                BigInteger.ONE.shiftLeft(64),
                BigInteger.ONE.shiftLeft(63).negate(),
                BigInteger.ONE.negate()))
        .list()
        .ofMaxSize(60);
  }

  @Property(tries = 500)
  @Label("amounts of any size and sign are summed exactly, past 128 bits too")
  void amounts_are_summed_exactly(@ForAll("amounts") List<BigInteger> amounts) {
    TableRows rows = new TableRows();
    BigInteger sum = BigInteger.ZERO;
    for (BigInteger amount : amounts) {
      rows.add(Bench.row(1, 0), amount.shiftRight(64).longValue(), amount.longValue());
      sum = sum.add(amount);
    }

    assertThat(rows.amountSum()).isEqualTo(sum);
    assertThat(rows.rows()).isEqualTo(amounts.size());
  }

  @Property(tries = 60)
  @Label("rows come back as they went, and the digest is that of one row after another")
  void rows_come_back_and_digest_as_one_by_one(@ForAll("sizes") List<Integer> sizes) {
    TableRows rows = new TableRows();
    List<CanonicalRow> added = new ArrayList<>();
    long bytes = 0;
    for (int i = 0; i < sizes.size(); i++) {
      CanonicalRow row = rowOf(i, sizes.get(i));
      rows.add(row);
      added.add(row);
      bytes += row.length() + 4;
    }
    List<CanonicalRow> back = new ArrayList<>();
    rows.forEach(back::add);
    RangeDigest digest = begin();
    rows.addTo(digest);
    RangeDigest naive = begin();
    added.forEach(naive::add);

    assertThat(back).isEqualTo(added);
    assertThat(rows.bytes()).isEqualTo(bytes);
    assertThat(digest.finish()).isEqualTo(naive.finish());
  }

  private static RangeDigest begin() {
    return RangeDigest.begin(
        Bench.STREAM, "table", new Range(Position.ORIGIN, Position.batchEnd(1)));
  }

  /** Small rows, and now and then one that is larger than a chunk. */
  @Provide
  Arbitrary<List<Integer>> sizes() {
    return Arbitraries.frequencyOf(
            net.jqwik.api.Tuple.of(60, Arbitraries.integers().between(0, 300)),
            net.jqwik.api.Tuple.of(5, Arbitraries.integers().between(5_000, 20_000)),
            net.jqwik.api.Tuple.of(1, Arbitraries.integers().between(250_000, 300_000)))
        .list()
        .ofMaxSize(400);
  }

  private static CanonicalRow rowOf(int index, int textBytes) {
    return new RowWriter()
        .begin(RecordKind.SOURCE_CHANGE)
        .putLong(1)
        .putLong(1)
        .putInt(index)
        .putTimestamp(0)
        .putTimestamp(0)
        .putString("x".repeat(textBytes))
        .putString("created")
        .putString("stream")
        .absentToEnd()
        .toRow();
  }

  @Example
  @Label("an empty table's rows are nothing")
  void no_rows_are_nothing() {
    TableRows rows = new TableRows();

    assertThat(rows.rows()).isZero();
    assertThat(rows.bytes()).isZero();
    assertThat(rows.amountSum()).isEqualTo(BigInteger.ZERO);
  }

  @Example
  @Label("a row is copied: the page that it came in may go")
  void a_row_is_copied() {
    CanonicalRow row = Bench.row(1, 0);
    byte[] page = new byte[row.length() + 7];
    System.arraycopy(row.array(), row.offset(), page, 7, row.length());
    TableRows rows = new TableRows();
    rows.add(CanonicalRow.of(page, 7, row.length()));
    java.util.Arrays.fill(page, (byte) 0);

    List<CanonicalRow> back = new ArrayList<>();
    rows.forEach(back::add);
    assertThat(back).containsExactly(row);
  }
}
