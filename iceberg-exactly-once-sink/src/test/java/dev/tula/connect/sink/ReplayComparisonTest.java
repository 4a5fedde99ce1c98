package dev.tula.connect.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.sink.engine.Finding;
import dev.tula.connect.sink.engine.HaltReason;
import dev.tula.connect.sink.engine.Lake;
import dev.tula.connect.sink.engine.Layout;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.engine.TooManyRowsException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Replays of any length and order, held against tables that are read under a limit (C13, I6). */
class ReplayComparisonTest {
  private static final int ROWS_PER_BATCH = 4;
  private static final int BATCHES = 400;
  private static final long MUCH_MEMORY = 1L << 30;
  private static final PipelineIdentity IDENTITY =
      new PipelineIdentity(
          TestLedger.CLUSTER,
          TestLedger.PIPELINE,
          1,
          1,
          Layout.BY_TYPE,
          false,
          false,
          28,
          PipelineIdentity.FORMAT);

  /** The ledger's rows in their tables, and how much of them was read. */
  private static final class Tables {
    private final Map<String, TreeMap<Position, CanonicalRow>> rows = new HashMap<>();
    private int readings;
    private int mostReturned;
    private int mostAllowed;

    Tables(int batches) {
      for (int batch = 1; batch <= batches; batch++) {
        for (int i = 0; i < ROWS_PER_BATCH; i++) {
          put(TestLedger.row(batch, i));
        }
      }
    }

    private TreeMap<Position, CanonicalRow> tableOf(CanonicalRow row) {
      int table = IDENTITY.layout().route(row, new RowReader().wrap(row));
      return rows.computeIfAbsent(IDENTITY.tables().get(table).name(), unused -> new TreeMap<>());
    }

    void put(CanonicalRow row) {
      tableOf(row).put(row.position(), row);
    }

    void remove(CanonicalRow row) {
      tableOf(row).remove(row.position());
    }

    private List<CanonicalRow> readAt(String table, NavigableSet<Position> positions, int maxRows) {
      readings++;
      mostAllowed = Math.max(mostAllowed, maxRows);
      TreeMap<Position, CanonicalRow> all = rows.get(table);
      if (all.subMap(positions.first(), true, positions.last(), true).size() > maxRows) {
        throw new TooManyRowsException(table);
      }
      List<CanonicalRow> found = positions.stream().filter(all::containsKey).map(all::get).toList();
      mostReturned = Math.max(mostReturned, found.size());
      return found;
    }

    Lake lake() {
      return (Lake)
          Proxy.newProxyInstance(
              Lake.class.getClassLoader(),
              new Class<?>[] {Lake.class},
              (proxy, method, args) -> {
                assertThat(method.getName()).isEqualTo("readAt");
                return readAt((String) args[0], positions(args[1]), (int) args[2]);
              });
    }

    @SuppressWarnings("unchecked")
    private static NavigableSet<Position> positions(Object argument) {
      return (NavigableSet<Position>) argument;
    }
  }

  /** A stretch of the ledger that comes again. */
  private record Stretch(int fromBatch, int batches) {
    List<CanonicalRow> rows() {
      List<CanonicalRow> rows = new ArrayList<>();
      for (int batch = fromBatch; batch < fromBatch + batches; batch++) {
        for (int i = 0; i < ROWS_PER_BATCH; i++) {
          rows.add(TestLedger.row(batch, i));
        }
      }
      return rows;
    }
  }

  @Provide
  Arbitrary<List<Stretch>> stretches() {
    return Combinators.combine(
            Arbitraries.integers().between(1, BATCHES - 40), Arbitraries.integers().between(1, 40))
        .as(Stretch::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(12);
  }

  /** As a writer does: what was gathered is compared whenever it is full, and at the end. */
  private static Optional<Finding> compare(
      ReplayComparison comparison, List<CanonicalRow> rows, Lake lake) {
    long offset = 0;
    for (CanonicalRow row : rows) {
      Optional<Finding> finding = comparison.add(row, offset++);
      if (finding.isEmpty() && comparison.isFull()) {
        finding = comparison.compareWith(lake);
        comparison.clear();
      }
      if (finding.isPresent()) {
        return finding;
      }
    }
    return comparison.compareWith(lake);
  }

  private static List<CanonicalRow> rows(List<Stretch> stretches) {
    List<CanonicalRow> rows = new ArrayList<>();
    stretches.forEach(stretch -> rows.addAll(stretch.rows()));
    return rows;
  }

  @Property(tries = 200)
  void replays_that_agree_are_found_to_agree_in_readings_that_are_bounded(
      @ForAll("stretches") List<Stretch> stretches, @ForAll @IntRange(max = 60) int maxBetween) {
    Tables tables = new Tables(BATCHES);
    List<CanonicalRow> rows = rows(stretches);

    Optional<Finding> finding =
        compare(new ReplayComparison(IDENTITY, MUCH_MEMORY, maxBetween), rows, tables.lake());

    assertThat(finding).isEmpty();
    assertThat(tables.mostReturned).isLessThanOrEqualTo(rows.size());
    assertThat(tables.mostAllowed).isLessThanOrEqualTo(rows.size() + maxBetween);
  }

  @Property(tries = 200)
  void a_row_that_differs_or_is_missing_is_found_wherever_it_is(
      @ForAll("stretches") List<Stretch> stretches,
      @ForAll @IntRange(max = 60) int maxBetween,
      @ForAll @IntRange(max = 100_000) int which,
      @ForAll boolean missing) {
    Tables tables = new Tables(BATCHES);
    List<CanonicalRow> rows = rows(stretches);
    CanonicalRow wrong = rows.get(which % rows.size());
    if (missing) {
      tables.remove(wrong);
    } else {
      Position position = wrong.position();
      tables.put(TestLedger.row(position.globalBatchSeq(), position.arrayIndex(), 42));
    }

    Optional<Finding> finding =
        compare(new ReplayComparison(IDENTITY, MUCH_MEMORY, maxBetween), rows, tables.lake());

    assertThat(finding.orElseThrow().reason()).isEqualTo(HaltReason.ROW_DIFFERS);
    assertThat(finding.get().what()).contains(wrong.position().toString());
  }

  @Test
  @DisplayName("C10, C13: a stream that goes back by more rows than a reading takes is compared")
  void a_stream_that_goes_far_back_is_compared_in_few_readings() {
    int batches = 100_000;
    Tables tables = new Tables(batches);
    List<CanonicalRow> rows =
        rows(
            List.of(
                new Stretch(batches - 100, 100), new Stretch(50_000, 500), new Stretch(1, 1_000)));

    Optional<Finding> finding =
        compare(new ReplayComparison(IDENTITY, MUCH_MEMORY, 1_000), rows, tables.lake());

    assertThat(finding).isEmpty();
    int stretches = 3;
    assertThat(tables.readings).isLessThanOrEqualTo(IDENTITY.tables().size() * (2 * stretches - 1));
  }

  @Test
  @DisplayName("C13: a replay of any length takes no more memory than a short one")
  void a_long_replay_is_compared_part_by_part() {
    int batches = 20_000;
    Tables tables = new Tables(batches);
    long maxBytes = 1L << 20;
    ReplayComparison comparison = new ReplayComparison(IDENTITY, maxBytes);
    CanonicalRow row = TestLedger.row(1, 0);

    Optional<Finding> finding =
        compare(comparison, rows(List.of(new Stretch(1, batches - 1))), tables.lake());

    assertThat(finding).isEmpty();
    assertThat(tables.readings).isGreaterThan(IDENTITY.tables().size());
    assertThat((long) tables.mostReturned * row.length()).isLessThan(maxBytes);
  }

  @Test
  void two_replays_of_one_row_that_differ_are_found_before_the_lake_is_read() {
    Tables tables = new Tables(10);

    Optional<Finding> finding =
        compare(
            new ReplayComparison(IDENTITY, MUCH_MEMORY),
            List.of(TestLedger.row(3, 1), TestLedger.row(3, 1, 42)),
            tables.lake());

    assertThat(finding.orElseThrow().what()).contains("two replays");
    assertThat(tables.readings).isZero();
  }

  @Test
  void a_single_position_with_too_many_rows_ends_the_search_for_parts() {
    Lake lake =
        (Lake)
            Proxy.newProxyInstance(
                Lake.class.getClassLoader(),
                new Class<?>[] {Lake.class},
                (proxy, method, args) -> {
                  throw new TooManyRowsException("too many");
                });

    assertThatThrownBy(
            () ->
                compare(
                    new ReplayComparison(IDENTITY, MUCH_MEMORY),
                    rows(List.of(new Stretch(1, 20))),
                    lake))
        .isInstanceOf(TooManyRowsException.class);
  }
}
