package dev.tula.connect.lake.reseed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class GapTest {
  @Test
  void its_batches_are_those_of_the_partition_within_it() {
    for (int count = 1; count <= 4; count++) {
      for (int partition = 0; partition < count; partition++) {
        for (long from = 0; from <= 9; from++) {
          for (long to = from; to <= 12; to++) {
            assertThat(batches(partition, count, from, to))
                .isEqualTo(named(partition, count, from, to));
          }
        }
      }
    }
  }

  private static long batches(int partition, int count, long from, long to) {
    return Gap.of(
            partition,
            count,
            Optional.of(Position.batchEnd(from)),
            Optional.empty(),
            Position.batchEnd(to),
            0)
        .batches();
  }

  private static long named(int partition, int count, long from, long to) {
    return LongStream.rangeClosed(from + 1, to).filter(batch -> batch % count == partition).count();
  }

  @Test
  void a_floor_below_the_watermark_leaves_no_gap() {
    Gap gap =
        Gap.of(0, 1, Optional.of(Position.batchEnd(9)), Optional.empty(), Position.batchEnd(4), 0);
    assertThat(gap.missing().isEmpty()).isTrue();
    assertThat(gap.batches()).isZero();
  }

  @Test
  void without_a_watermark_all_is_lost_from_the_origin_and_a_start_moves_the_end() {
    Gap gap =
        Gap.of(
            0, 1, Optional.empty(), Optional.of(Position.beforeSeeded(8)), Position.batchEnd(4), 0);
    assertThat(gap.missing()).isEqualTo(new Range(Position.ORIGIN, Position.beforeSeeded(8)));
    assertThat(gap.batches()).isEqualTo(8);
  }
}
