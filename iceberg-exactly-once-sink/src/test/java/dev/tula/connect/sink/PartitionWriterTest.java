package dev.tula.connect.sink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.Stop;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A writer whose catalog never answers. */
class PartitionWriterTest {
  private static final long LIMIT_MS = 20_000;

  private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
  private final InstantSource clock = now::get;
  private final CountDownLatch connecting = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private final SinkConfig config =
      new SinkConfig(
          Map.of(
              "name",
              "bench",
              "topics",
              "ledger",
              "tula.cluster.id",
              TestLedger.CLUSTER,
              "tula.pipeline",
              TestLedger.PIPELINE,
              "iceberg.namespace",
              "ledger"));
  private final SinkRuntime runtime = new SinkRuntime(config, clock);
  private final PartitionWriter writer =
      new PartitionWriter(
          new TopicPartition("ledger", 0),
          config,
          new Hanging(),
          runtime,
          clock,
          new SinkMetrics(clock));

  private final class Hanging implements PartitionPorts.Factory {
    @Override
    public PartitionPorts open(int partition) {
      connecting.countDown();
      try {
        released.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      throw LakeException.passing("released", null);
    }

    @Override
    public void close() {}
  }

  @AfterEach
  void close() {
    released.countDown();
    writer.close();
    runtime.close();
  }

  @Test
  void connecting_that_does_not_end_fails_the_writer() throws Exception {
    writer.start();
    connecting.await();
    now.set(now.get().plusSeconds(240));
    Thread.sleep(300);
    assertThat(writer.stopped()).isEmpty();

    now.set(now.get().plusSeconds(120));
    writer.awaitEnd(LIMIT_MS);

    assertThat(writer.stopped().orElseThrow().code()).isEqualTo(Stop.Code.FAILED);
    assertThat(writer.stopped().get().message()).contains("connecting", "300000 ms");
  }
}
