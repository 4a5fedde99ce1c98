package dev.tula.connect.sink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.sink.engine.Stop;
import dev.tula.connect.sink.fencing.LeaseKeeper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a partition's metrics tell of leases, while one writer comes after the other. */
@Timeout(60)
class FencingMetricsTest {
  private static final long LIMIT_MS = 20_000;

  /** The first renewal comes after a third of it. */
  private static final long LEASE_MS = 3_000;

  @TempDir private Path folder;

  private final SinkConfig config = new SinkConfig(TestLedger.sinkConfig());
  private final SinkRuntime runtime = new SinkRuntime(config, Clocks.SYSTEM.elapsed());
  private final SinkMetrics metrics = new SinkMetrics(Clocks.SYSTEM.dates());

  /** Opens ports with a lease that failed to be renewed, and was lost. */
  private record Lost(LeaseKeeper lease) implements PartitionPorts.Factory {
    @Override
    public PartitionPorts open(int partition) {
      SinkBench.World world = new SinkBench.World(0, 1);
      return new PartitionPorts(world, world, Optional.of(lease), () -> {});
    }

    @Override
    public void close() {}
  }

  @AfterEach
  void close() {
    runtime.close();
  }

  @Test
  void what_is_counted_of_leases_only_grows_from_one_writer_to_the_next() throws Exception {
    LeaseKeeper first = lostLease("first");
    runToItsEnd(first);
    assertThat(metrics.getFencingRenewalErrorsTotal()).isEqualTo(first.failedRenewals());
    assertThat(metrics.getFencingLostTotal()).isOne();

    LeaseKeeper second = lostLease("second");
    runToItsEnd(second);
    assertThat(metrics.getFencingRenewalErrorsTotal())
        .isEqualTo(first.failedRenewals() + second.failedRenewals());
    assertThat(metrics.getFencingLostTotal()).isEqualTo(2);
    assertThat(metrics.getFencingActive()).isZero();
  }

  private LeaseKeeper lostLease(String owner) throws Exception {
    Path store = folder.resolve(owner);
    LeaseKeeper keeper =
        LeaseKeeper.of(store.toUri().toString(), new Properties(), "ledger/p0", owner, LEASE_MS);
    keeper.take();
    breakStore(store);
    while (keeper.failedRenewals() == 0) {
      TimeUnit.MILLISECONDS.sleep(5);
    }
    keeper.close();
    return keeper;
  }

  /** A file where the store's folder was. */
  private static void breakStore(Path store) throws IOException {
    Files.move(store, store.resolveSibling(store.getFileName() + ".away"));
    Files.createFile(store);
  }

  private void runToItsEnd(LeaseKeeper lease) throws InterruptedException {
    PartitionWriter writer =
        new PartitionWriter(
            new TopicPartition("ledger", 0),
            config,
            new Lost(lease),
            runtime,
            Clocks.SYSTEM,
            metrics);
    writer.start();
    writer.awaitEnd(LIMIT_MS);
    assertThat(writer.stopped().orElseThrow().code()).isEqualTo(Stop.Code.FENCED);
  }
}
