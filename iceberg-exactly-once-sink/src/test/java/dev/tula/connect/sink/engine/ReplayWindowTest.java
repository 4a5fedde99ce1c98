package dev.tula.connect.sink.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import java.util.List;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The replay window against a map that does the same the simple way (C13). */
class ReplayWindowTest {
  /** What is done to a window: rows are added, W moves, or all is forgotten. */
  sealed interface Step {
    /** So many rows, this far apart. */
    record Add(int rows, int stride) implements Step {}

    /** W moves to the row so many from the newest. */
    record Trim(int back) implements Step {}

    /** All is forgotten. */
    record Clear() implements Step {}
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Step> adds =
        Combinators.combine(
                Arbitraries.integers().between(1, 900), Arbitraries.integers().between(1, 5))
            .as(Step.Add::new);
    Arbitrary<Step> trims = Arbitraries.integers().between(0, 400).map(Step.Trim::new);
    return Arbitraries.frequencyOf(
            net.jqwik.api.Tuple.of(10, adds),
            net.jqwik.api.Tuple.of(6, trims),
            net.jqwik.api.Tuple.of(1, Arbitraries.just(new Step.Clear())))
        .list()
        .ofMinSize(1)
        .ofMaxSize(12);
  }

  @Property(tries = 120)
  @Label("the window answers as a sorted map would")
  void the_window_answers_as_a_map_would(
      @ForAll("steps") List<Step> steps,
      @ForAll @net.jqwik.api.constraints.IntRange(min = 2, max = 1500) int keep) {
    ReplayWindow window = new ReplayWindow(keep);
    TreeMap<Position, CanonicalRow> model = new TreeMap<>();
    long next = 3;
    for (Step step : steps) {
      next = apply(step, window, model, keep, next);
      compare(window, model);
    }
  }

  private static long apply(
      Step step, ReplayWindow window, TreeMap<Position, CanonicalRow> model, int keep, long next) {
    long ordinal = next;
    if (step instanceof Step.Add add) {
      for (int i = 0; i < add.rows(); i++) {
        ordinal += add.stride();
        CanonicalRow row = Bench.row(1 + ordinal / 7, (int) (ordinal % 7));
        window.add(row);
        model.put(row.position(), row);
      }
    } else if (step instanceof Step.Trim trim && !model.isEmpty()) {
      Position w = List.copyOf(model.keySet()).get(Math.max(0, model.size() - 1 - trim.back()));
      window.trim(w);
      while (model.size() > keep && model.firstKey().isAtOrBelow(w)) {
        model.pollFirstEntry();
      }
    } else if (step instanceof Step.Clear) {
      window.clear();
      model.clear();
    }
    return ordinal;
  }

  private static void compare(ReplayWindow window, TreeMap<Position, CanonicalRow> model) {
    assertThat(window.size()).isEqualTo(model.size());
    Position last = model.isEmpty() ? Position.batchEnd(9) : model.lastKey();
    long batches = last.globalBatchSeq() + 1;
    for (long batch = Math.max(1, batches - 400); batch <= batches; batch++) {
      for (int index = 0; index < 8; index++) {
        Position position = new Position(batch, index);
        CanonicalRow row = model.get(position);
        assertThat(window.find(batch, index).isPresent()).isEqualTo(row != null);
        if (row != null) {
          assertThat(window.find(batch, index).getAsLong()).isEqualTo(window.fingerprint(row));
        }
        assertThat(window.reaches(position))
            .isEqualTo(!model.isEmpty() && model.firstKey().isAtOrBelow(position));
      }
    }
  }

  @Example
  @Label("the window never drops a row above W, however many there are")
  void rows_above_the_watermark_stay() {
    ReplayWindow window = new ReplayWindow(2);
    for (int i = 0; i < 5000; i++) {
      window.add(Bench.row(1 + i, 0));
      window.trim(Position.batchEnd(10));
    }

    assertThat(window.size()).isEqualTo(4990);
    assertThat(window.find(11, 0)).isPresent();
    assertThat(window.reaches(new Position(11, 0))).isTrue();
    assertThat(window.reaches(new Position(10, 0))).isFalse();
  }

  @Example
  @Label("a window that is to keep less forgets and gives its memory back")
  void a_window_that_keeps_less_takes_less_memory() {
    ReplayWindow window = new ReplayWindow(5000);
    for (int i = 0; i < 5000; i++) {
      window.add(Bench.row(1 + i, 0));
    }
    window.trim(Position.batchEnd(4000));
    assertThat(window.bytes()).isEqualTo(8192 * 20);

    window.keep(1500);
    window.trim(Position.batchEnd(4000));

    assertThat(window.size()).isEqualTo(1500);
    assertThat(window.bytes()).isEqualTo(4096 * 20);
    assertThat(window.find(3501, 0)).isPresent();
    assertThat(window.find(5000, 0)).isPresent();
    assertThat(window.find(3500, 0)).isEmpty();
  }

  @Example
  @Label("a fingerprint changes with any one bit of a row")
  void a_fingerprint_changes_with_any_bit() {
    ReplayWindow window = new ReplayWindow(2);
    CanonicalRow row = Bench.row(1, 0);
    long fingerprint = window.fingerprint(row);
    // From the timestamp's value on: what is before it would be no row any more.
    for (int bit = 26 * 8; bit < row.length() * 8; bit++) {
      byte[] bytes = new byte[row.length()];
      System.arraycopy(row.array(), row.offset(), bytes, 0, bytes.length);
      if (bit / 8 == 34) {
        continue; // the presence byte of recorded_at
      }
      bytes[bit / 8] ^= (byte) (1 << bit % 8);
      assertThat(window.fingerprint(CanonicalRow.of(bytes))).isNotEqualTo(fingerprint);
    }
  }
}
