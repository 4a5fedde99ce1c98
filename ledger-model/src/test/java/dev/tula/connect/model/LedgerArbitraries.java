package dev.tula.connect.model;

import java.math.BigInteger;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** Arbitrary ledger values, with the edges that break codecs well represented. */
public final class LedgerArbitraries {
  private static final BigInteger MIN_AMOUNT = BigInteger.ONE.shiftLeft(127).negate();
  private static final BigInteger MAX_AMOUNT =
      BigInteger.ONE.shiftLeft(127).subtract(BigInteger.ONE);

  private LedgerArbitraries() {}

  /** Any position, with origin and batch ends among them. */
  public static Arbitrary<Position> positions() {
    Arbitrary<Position> ends =
        Arbitraries.longs().between(0, Long.MAX_VALUE).map(Position::batchEnd);
    return Arbitraries.oneOf(recordPositions(), ends, Arbitraries.just(Position.ORIGIN));
  }

  /** Any position that a record can have, streamed or seeded. */
  public static Arbitrary<Position> recordPositions() {
    return Combinators.combine(
            Arbitraries.longs().between(1, Long.MAX_VALUE),
            Arbitraries.integers().between(0, Position.BATCH_END_INDEX - 1))
        .as(Position::new);
  }

  /** Strings of any characters that exist, the empty one and astral ones included. */
  public static Arbitrary<String> strings() {
    Arbitrary<Integer> ascii = Arbitraries.integers().between(0, 0x7F);
    Arbitrary<Integer> any =
        Arbitraries.integers()
            .between(0, Character.MAX_CODE_POINT)
            .filter(c -> c < 0xD800 || c > 0xDFFF);
    return Arbitraries.oneOf(ascii, any)
        .list()
        .ofMaxSize(20)
        .map(
            codePoints ->
                codePoints.stream()
                    .reduce(new StringBuilder(), StringBuilder::appendCodePoint, (a, b) -> a))
        .map(StringBuilder::toString);
  }

  /** Any number of minor units that 16 bytes hold. */
  public static Arbitrary<BigInteger> amounts() {
    return Arbitraries.oneOf(
        Arbitraries.bigIntegers().between(MIN_AMOUNT, MAX_AMOUNT),
        Arbitraries.longs().map(BigInteger::valueOf));
  }

  /** Any row of any kind. */
  public static Arbitrary<TestRow> rows() {
    return Arbitraries.of(RecordKind.values())
        .filter(RecordKind::isRow)
        .flatMap(LedgerArbitraries::rows);
  }

  /** Any row of a kind. */
  public static Arbitrary<TestRow> rows(RecordKind kind) {
    List<Arbitrary<Object>> values =
        RowSchema.of(kind).fields().stream().map(LedgerArbitraries::values).toList();
    return Combinators.combine(values).as(row -> new TestRow(kind, row));
  }

  private static Arbitrary<Object> values(RowField field) {
    Arbitrary<Object> present =
        switch (field.name()) {
          case "global_batch_seq" -> Arbitraries.longs().between(1, Long.MAX_VALUE).asGeneric();
          case "array_index" ->
              Arbitraries.integers().between(0, Position.BATCH_END_INDEX - 1).asGeneric();
          default -> values(field.type());
        };
    return field.required() ? present : present.injectNull(0.4);
  }

  private static Arbitrary<Object> values(FieldType type) {
    return switch (type) {
      case LONG, TIMESTAMP -> Arbitraries.longs().asGeneric();
      case INT -> Arbitraries.integers().asGeneric();
      case AMOUNT -> amounts().asGeneric();
      case ID128 -> hex(16).asGeneric();
      case HASH256 -> hex(32).asGeneric();
      case STRING -> strings().asGeneric();
      case STRING_LIST -> strings().list().ofMaxSize(5).asGeneric();
    };
  }

  private static Arbitrary<String> hex(int bytes) {
    return Arbitraries.bytes().array(byte[].class).ofSize(bytes).map(HexFormat.of()::formatHex);
  }

  /** Any stream identity. */
  public static Arbitrary<StreamIdentity> identities() {
    Arbitrary<String> names = strings().filter(name -> !name.isEmpty());
    return Combinators.combine(
            names,
            names,
            Arbitraries.integers().between(1, Integer.MAX_VALUE),
            Arbitraries.integers().between(1, Integer.MAX_VALUE),
            Arbitraries.integers().between(0, Integer.MAX_VALUE),
            Arbitraries.integers().between(0, 2))
        .as(
            (cluster, pipeline, generation, count, partition, mode) ->
                new StreamIdentity(
                    cluster, pipeline, generation, partition % count, count, mode > 0, mode > 1));
  }

  /** Any item of a stream. */
  public static Arbitrary<StreamItem> items() {
    Arbitrary<StreamItem> rowItems =
        Combinators.combine(positions(), rows().map(TestRow::write))
            .filter((pred, row) -> row.position().isAfter(pred))
            .as(StreamItem.Row::new);
    Arbitrary<StreamItem> coverages =
        Combinators.combine(positions(), positions(), Arbitraries.longs(), identities())
            .as(
                (a, b, closed, id) ->
                    new StreamItem.Coverage(Position.min(a, b), Position.max(a, b), closed, id));
    Arbitrary<StreamItem> starts =
        Combinators.combine(positions(), Arbitraries.longs(), identities())
            .as(StreamItem.Start::new);
    return Arbitraries.frequencyOf(
        Tuple.of(6, rowItems), Tuple.of(1, coverages), Tuple.of(1, starts));
  }
}
