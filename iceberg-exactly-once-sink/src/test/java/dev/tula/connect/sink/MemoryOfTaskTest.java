package dev.tula.connect.sink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.model.Position;
import dev.tula.connect.sink.engine.TableState;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A task whose memory is used up while its catalog is down, over lakes in memory. */
class MemoryOfTaskTest {
  private static final int PARTITIONS = 4;
  private static final long MAX_BYTES = 4L << 20;
  private static final long FIRST_BATCHES = PARTITIONS;
  private static final long BATCHES = 10_000;

  /** Of each partition one poll of 200 records of less than 1 KiB, and one of the queue's rest. */
  private static final long BEYOND_BYTES = PARTITIONS * 2 * 200 * 1_024L;

  private final SinkBench bench = new SinkBench(PARTITIONS);

  @AfterEach
  void close() {
    bench.close();
  }

  private void openWith(long batches) {
    bench.with(SinkConfig.MEMORY_MAX_BYTES, Long.toString(MAX_BYTES));
    for (int partition = 0; partition < PARTITIONS; partition++) {
      bench.world(partition).begin(batches);
    }
    bench.start().open(IntStream.range(0, PARTITIONS).toArray());
  }

  /** All are open and have written, and what fills the memory is still to come. */
  private void open() {
    openWith(FIRST_BATCHES);
    for (int partition = 0; partition < PARTITIONS; partition++) {
      bench.pollUntilWatermark(partition, FIRST_BATCHES);
    }
  }

  private void sendTheRest() {
    for (int partition = 0; partition < PARTITIONS; partition++) {
      bench.world(partition).page(FIRST_BATCHES + 1, BATCHES);
    }
  }

  private static long metric(int partition, String name) {
    return (Long) SinkBench.metric(partition, name);
  }

  private void pollUntilAllAreHeldBack() {
    bench.pollUntil(
        "pausing all",
        () -> {
          long used = metric(0, "MemoryBytes");
          assertThat(used).isLessThan(metric(0, "MemoryMaxBytes") + BEYOND_BYTES);
          return bench.context().paused().size() == PARTITIONS
              && metric(0, "MemoryReachedTotal") > 0;
        });
  }

  @Test
  void a_catalog_that_is_down_pauses_all_and_loses_nothing() {
    open();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      bench.world(partition).holdCommits();
    }
    sendTheRest();

    pollUntilAllAreHeldBack();

    assertThat(bench.context().position(SinkBench.partition(0)))
        .isLessThan(bench.world(0).items().size());
    for (int partition = 0; partition < PARTITIONS; partition++) {
      bench.world(partition).release();
    }
    for (int partition = 0; partition < PARTITIONS; partition++) {
      bench.pollUntilWatermark(partition, BATCHES);
      assertThat(bench.world(partition).watermarkState().orElseThrow().totalRows())
          .isEqualTo(BATCHES / PARTITIONS * 4);
    }
  }

  @Test
  void ranges_are_cut_early_where_only_memory_asks_for_it() {
    bench.with(SinkConfig.COMMIT_INTERVAL_MS, "3600000");
    openWith(BATCHES);

    bench.pollUntil("an early cut", () -> cutsForMemory() > 0 && rowsInLake() > 0);

    bench.pollUntil("telling that", () -> metric(0, "MemoryReachedTotal") > 0);
  }

  private static long cutsForMemory() {
    return IntStream.range(0, PARTITIONS).mapToLong(p -> metric(p, "CutsForMemoryTotal")).sum();
  }

  private static long rowsInLake() {
    return IntStream.range(0, PARTITIONS).mapToLong(p -> metric(p, "LakeRows")).sum();
  }

  @Test
  void a_partition_whose_commits_hang_does_not_hold_up_the_others() {
    open();
    bench.world(0).holdCommits();
    sendTheRest();

    for (int partition = 1; partition < PARTITIONS; partition++) {
      bench.pollUntilWatermark(partition, BATCHES);
    }

    assertThat(bench.world(0).watermark().flatMap(TableState::to))
        .isNotEqualTo(Optional.of(Position.batchEnd(BATCHES)));
  }
}
