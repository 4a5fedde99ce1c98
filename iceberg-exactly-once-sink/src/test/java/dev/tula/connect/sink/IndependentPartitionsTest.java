package dev.tula.connect.sink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.Position;
import dev.tula.connect.sink.engine.TableState;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Partitions of one task whose every call hangs, more calls together than a partition has threads,
 * beside one whose catalog answers.
 */
class IndependentPartitionsTest {
  private static final int PARTITIONS = 6;
  private static final int HEALTHY = PARTITIONS - 1;
  private static final long BATCHES = 600;
  private static final long MORE_BATCHES = 1_200;

  private final SinkBench bench = new SinkBench(PARTITIONS).with(SinkConfig.COMMIT_THREADS, "4");

  @AfterEach
  void close() {
    bench.close();
  }

  private void begin() {
    for (int partition = 0; partition < PARTITIONS; partition++) {
      bench.world(partition).begin(BATCHES);
    }
  }

  private void open() {
    bench.start().open(IntStream.range(0, PARTITIONS).toArray());
  }

  private void hang() {
    for (int partition = 0; partition < HEALTHY; partition++) {
      bench.world(partition).holdCommits();
    }
  }

  private Optional<Position> watermark(int partition) {
    return bench.world(partition).watermark().flatMap(TableState::to);
  }

  @Test
  void commits_that_hang_in_every_table_of_others_hold_up_no_partition() {
    begin();
    open();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      bench.pollUntilWatermark(partition, BATCHES);
    }
    hang();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      bench.world(partition).page(BATCHES + 1, MORE_BATCHES);
    }
    bench.pollUntil("commits that hang", () -> waiting() == HEALTHY);

    bench.pollUntilWatermark(HEALTHY, MORE_BATCHES);

    for (int partition = 0; partition < HEALTHY; partition++) {
      assertThat(watermark(partition)).contains(Position.batchEnd(BATCHES));
    }
    bench.world(HEALTHY).page(MORE_BATCHES + 1, 2 * MORE_BATCHES);
    bench.pollUntilWatermark(HEALTHY, 2 * MORE_BATCHES);
  }

  /** How many partitions have as many commits hanging as they have threads. */
  private long waiting() {
    return IntStream.range(0, HEALTHY).filter(p -> bench.world(p).held() >= 4).count();
  }

  @Test
  void files_that_hang_leave_the_other_partitions_theirs() {
    int hanging = 3; // of four files that the task's memory suffices for
    begin();
    for (int partition = 0; partition < hanging; partition++) {
      bench.world(partition).holdFiles();
    }

    open();

    for (int partition = hanging; partition < PARTITIONS; partition++) {
      bench.pollUntilWatermark(partition, BATCHES);
    }
    for (int partition = 0; partition < hanging; partition++) {
      SinkBench.World world = bench.world(partition);
      bench.pollUntil("a file that hangs", () -> world.held() > 0);
      assertThat(world.held()).isOne();
    }
    assertThat(watermark(0)).isNotEqualTo(Optional.of(Position.batchEnd(BATCHES)));
  }

  @Test
  void openings_of_others_that_hang_hold_up_no_partition() {
    begin();
    for (int partition = 0; partition < HEALTHY; partition++) {
      bench.world(partition).holdCalls();
    }

    open();

    bench.pollUntilWatermark(HEALTHY, BATCHES);
    assertThat(watermark(0)).isEmpty();
  }

  @Test
  void claims_of_others_that_hang_hold_up_no_partition() {
    begin();
    hang();

    open();

    bench.pollUntilWatermark(HEALTHY, BATCHES);
    for (int partition = 0; partition < HEALTHY; partition++) {
      assertThat(watermark(partition)).isEmpty();
    }
  }

  @Test
  void those_that_hung_go_on_once_they_are_answered() {
    begin();
    hang();
    open();
    bench.pollUntilWatermark(HEALTHY, BATCHES);

    for (int partition = 0; partition < HEALTHY; partition++) {
      bench.world(partition).release();
    }

    for (int partition = 0; partition < HEALTHY; partition++) {
      bench.pollUntilWatermark(partition, BATCHES);
    }
  }
}
