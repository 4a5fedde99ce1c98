package dev.tula.connect.restcatalog;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A worker of 256 MiB, both connectors and the lake's writers in it, while the catalog is down for
 * ten seconds, or for {@code -Dtula.heap.outage.seconds}: {@code docs/deploy.md} has the command
 * for a minute. The run itself fails if the worker ever runs out of heap, or a task fails.
 */
@DisplayName("I1, I2, I4: a task's memory is bounded by tula.memory.max.bytes")
class SmallHeapIT {
  private static final int HEAP_MB = 256;
  private static final int MEMORY_MB = 24;
  private static final int OUTAGE_SECONDS = Integer.getInteger("tula.heap.outage.seconds", 10);

  /** As many rows more as make the run outlast the outage by far. */
  private static final int ROWS = 100_000 * Math.max(1, OUTAGE_SECONDS / 15);

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void a_small_worker_outlives_its_catalog_and_loses_nothing() throws Exception {
    String last =
        StackProcess.lastLineOf(
            "dev.tula.connect.local.RunLocal",
            "--rows=" + ROWS,
            "--verify",
            "--exit",
            "--full-record",
            "--catalog=rest",
            "--partitions=2",
            "--worker-heap=" + HEAP_MB,
            "--catalog-down=" + OUTAGE_SECONDS,
            "--sink=tasks.max=1",
            "--sink=tula.memory.max.bytes=" + (MEMORY_MB << 20),
            "--sink=tula.commit.max.bytes=6291456",
            "--sink=tula.commit.max.rows=50000",
            "--sink=tula.queue.max.bytes=4194304",
            "--sink=tula.replay.window.rows=100000",
            "--sink=tula.retry.backoff.max.ms=2000",
            "--source=tula.queue.max.bytes=4194304",
            "--source=producer.override.buffer.memory=8388608");

    JsonNode report = new ObjectMapper().readTree(last);
    assertThat(report.path("worker_heap_mb").asInt()).isBetween(HEAP_MB / 2, HEAP_MB);
    assertThat(report.path("sink_memory_reached").asInt()).isPositive();
    assertThat(report.path("sink_memory_mb").asInt()).isBetween(1, MEMORY_MB);
    assertThat(last)
        .contains(
            "\"rows\":" + ROWS + ",",
            "\"missing\":0",
            "\"duplicated\":0",
            "\"different\":0",
            "\"unexpected\":0",
            "\"acks_above_watermark\":0",
            "\"verified\":true");
  }
}
