package dev.tula.connect.sink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.Stop;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A writer whose catalog never answers. */
@Timeout(180)
class PartitionWriterTest {
  private static final long LIMIT_MS = 60_000;

  private static final int SOME_LOOKS = 12;

  private final TestTime time = new TestTime();
  private volatile Optional<PartitionPorts> portsAtLast = Optional.empty();
  private final CountDownLatch connecting = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private final SinkConfig config = new SinkConfig(TestLedger.sinkConfig());
  private final SinkRuntime runtime = new SinkRuntime(config, time.clocks().elapsed());
  private final PartitionWriter writer =
      new PartitionWriter(
          new TopicPartition("ledger", 0),
          config,
          new Hanging(),
          runtime,
          time.clocks(),
          new SinkMetrics(time.clocks().dates()));

  private final class Hanging implements PartitionPorts.Factory {
    @Override
    public PartitionPorts open(int partition) {
      connecting.countDown();
      PartitionWriterTest.await(released);
      return portsAtLast.orElseThrow(() -> LakeException.passing("released", null));
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
    pass(240);
    assertThat(writer.stopped()).isEmpty();

    time.pass(120_000);
    writer.awaitEnd(LIMIT_MS);

    assertThat(writer.stopped().orElseThrow().code()).isEqualTo(Stop.Code.FAILED);
    assertThat(writer.stopped().get().message()).contains("connecting", "300000 ms");
  }

  @Test
  void a_writer_that_is_closed_leaves_no_thread_behind_it() throws Exception {
    writer.start();
    connecting.await();
    assertThat(threads()).isNotEmpty();

    writer.close();
    writer.awaitEnd(LIMIT_MS);

    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LIMIT_MS);
    while (!threads().isEmpty() && System.nanoTime() < deadline) {
      TimeUnit.MILLISECONDS.sleep(5);
    }
    assertThat(threads()).isEmpty();
  }

  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("tula-commit-bench-ledger-0"))
        .toList();
  }

  @Test
  void ports_that_are_opened_after_the_writers_end_are_closed() throws Exception {
    CountDownLatch portsClosed = new CountDownLatch(1);
    SinkBench.World world = new SinkBench.World(0, 1);
    portsAtLast =
        Optional.of(new PartitionPorts(world, world, Optional.empty(), portsClosed::countDown));
    writer.start();
    connecting.await();
    time.pass(400_000);
    writer.awaitEnd(LIMIT_MS);
    assertThat(writer.stopped()).isPresent();

    released.countDown();

    portsClosed.await();
  }

  /** Time passes, and the writer looks at it a few times. */
  private void pass(long seconds) {
    time.pass(seconds * 1_000);
    time.awaitLooks(SOME_LOOKS, () -> false);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
