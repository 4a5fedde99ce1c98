package dev.tula.connect.sink.lake;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.LogicalTable;
import dev.tula.connect.sink.engine.TooManyRowsException;
import dev.tula.connect.sink.lake.IcebergLake.FoundRow;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.expressions.Expression;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;

/**
 * Reads a range back from a table and encodes its rows anew. What comes out is byte for byte what
 * went in, or the table does not hold what was committed.
 *
 * <p>Not thread-safe.
 */
final class RangeReader {
  private final Table table;
  private final RecordEncoder encoder;

  RangeReader(Table table, LogicalTable logical) {
    this.table = table;
    this.encoder = new RecordEncoder(table.name(), logical);
  }

  /**
   * The rows in position order.
   *
   * @throws ChangedRowsException if there are more than {@code maxRows}, or a value is there that
   *     no canonical row can have
   */
  List<CanonicalRow> read(Range range, int maxRows) {
    List<CanonicalRow> rows = new ArrayList<>();
    forEach(range, maxRows, changed(range, maxRows), record -> rows.add(encoder.encode(record)));
    rows.sort(Comparator.comparing(CanonicalRow::position));
    return rows;
  }

  /** The rows in position order, whether they can be encoded or not. */
  List<FoundRow> find(Range range, int maxRows) {
    List<FoundRow> rows = new ArrayList<>();
    forEach(range, maxRows, changed(range, maxRows), record -> rows.add(found(record)));
    rows.sort(Comparator.comparing(FoundRow::position));
    return rows;
  }

  /**
   * The rows at some positions, in position order. Those between are read and let go.
   *
   * @param positions at least one
   * @throws TooManyRowsException if there are more than {@code maxRows} from the first to the last
   * @throws ChangedRowsException if a value is there that no canonical row can have
   */
  List<CanonicalRow> readAt(NavigableSet<Position> positions, int maxRows) {
    Range range = new Range(before(positions.first()), positions.last());
    List<CanonicalRow> rows = new ArrayList<>();
    forEach(
        range,
        maxRows,
        () -> new TooManyRowsException(moreThan(range, maxRows)),
        record -> {
          if (positions.contains(position(record))) {
            rows.add(encoder.encode(record));
          }
        });
    rows.sort(Comparator.comparing(CanonicalRow::position));
    return rows;
  }

  private static Position before(Position position) {
    return position.arrayIndex() > 0
        ? new Position(position.globalBatchSeq(), position.arrayIndex() - 1)
        : Position.batchEnd(position.globalBatchSeq() - 1);
  }

  private static Position position(Record record) {
    return new Position(
        (Long) record.getField("global_batch_seq"), (Integer) record.getField("array_index"));
  }

  private Supplier<LakeException> changed(Range range, int maxRows) {
    return () -> new ChangedRowsException(moreThan(range, maxRows), null);
  }

  private String moreThan(Range range, int maxRows) {
    return "table " + table.name() + " has more than " + maxRows + " rows in " + range;
  }

  private FoundRow found(Record record) {
    Position position = position(record);
    try {
      return new FoundRow(position, Optional.of(encoder.encode(record)));
    } catch (ChangedRowsException e) {
      return new FoundRow(position, Optional.empty());
    }
  }

  private void forEach(
      Range range, int maxRows, Supplier<LakeException> tooMany, Consumer<Record> action) {
    int rows = 0;
    try (CloseableIterable<Record> records =
        IcebergGenerics.read(table).where(within(range)).select(encoder.columns()).build()) {
      for (Record record : records) {
        if (rows++ == maxRows) {
          throw tooMany.get();
        }
        action.accept(record);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Counts and adds up the rows of a range. */
  static RowSums sums(Table table, LogicalTable logical, Range range) {
    List<String> columns = new ArrayList<>(List.of("global_batch_seq", "array_index"));
    if (logical.hasAmounts()) {
      columns.add("amount");
    }
    long rows = 0;
    BigInteger sum = BigInteger.ZERO;
    try (CloseableIterable<Record> records =
        IcebergGenerics.read(table).where(within(range)).select(columns).build()) {
      for (Record record : records) {
        rows++;
        if (logical.hasAmounts()) {
          sum = sum.add(((BigDecimal) record.getField("amount")).toBigIntegerExact());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new RowSums(rows, logical.hasAmounts() ? Optional.of(sum) : Optional.empty());
  }

  private static Expression within(Range range) {
    return Expressions.and(Expressions.not(atOrBelow(range.from())), atOrBelow(range.to()));
  }

  private static Expression atOrBelow(Position position) {
    return Expressions.or(
        Expressions.lessThan("global_batch_seq", position.globalBatchSeq()),
        Expressions.and(
            Expressions.equal("global_batch_seq", position.globalBatchSeq()),
            Expressions.lessThanOrEqual("array_index", position.arrayIndex())));
  }
}
