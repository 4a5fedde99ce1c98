package dev.tula.connect.sink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.Stop;
import dev.tula.connect.sink.fencing.LeaseKeeper;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A writer whose lease another one holds, while an hour passes. */
@Timeout(180)
class StandbyWriterTest {
  private static final long LIMIT_MS = 60_000;
  private static final long LEASE_MS = 3_600_000;

  private static final Duration STEP = Duration.ofMinutes(4);

  /** Above the longest wait between two tries, which is 30 s. */
  private static final int STEP_MORE_S = 40;

  private static final int SOME_LOOKS = 12;

  @TempDir private Path folder;

  private final TestTime time = new TestTime();
  private final AtomicInteger tries = new AtomicInteger();
  private final AtomicReference<RuntimeException> before = new AtomicReference<>();
  private final SinkConfig config = new SinkConfig(TestLedger.sinkConfig());
  private final SinkRuntime runtime = new SinkRuntime(config, time.clocks().elapsed());
  private final SinkMetrics metrics = new SinkMetrics(time.clocks().dates());
  private LeaseKeeper holder;
  private LeaseKeeper waiting;
  private PartitionWriter writer;

  /** Takes the lease as the task's connection does. */
  private final class Leased implements PartitionPorts.Factory {
    @Override
    public PartitionPorts open(int partition) {
      try {
        RuntimeException failure = before.get();
        if (failure != null) {
          throw failure;
        }
        waiting.take();
      } finally {
        tries.incrementAndGet();
      }
      throw LakeException.lasting("the lease was taken", null);
    }

    @Override
    public void close() {}
  }

  private LeaseKeeper keeper(String owner) {
    return LeaseKeeper.of(
        folder.toUri().toString(), new Properties(), "ledger/p0", owner, LEASE_MS);
  }

  @BeforeEach
  void start() {
    holder = keeper("first cluster");
    holder.take();
    waiting = keeper("second cluster");
    writer =
        new PartitionWriter(
            new TopicPartition("ledger", 0), config, new Leased(), runtime, time.clocks(), metrics);
    writer.start();
  }

  @AfterEach
  void close() {
    writer.close();
    runtime.close();
    waiting.close();
    holder.close();
  }

  @Test
  void it_waits_beyond_every_time_limit_and_takes_over_then() throws Exception {
    standBy(Duration.ofHours(1));

    assertThat(writer.stopped()).isEmpty();
    assertThat(metrics.getErrorsTotal()).isZero();
    assertThat(metrics.getFencingStandby()).isOne();
    assertThat(metrics.getFencingActive()).isZero();
    assertThat(metrics.getPhase())
        .startsWith("Standby: ")
        .contains("ledger/p0", "held by first cluster", LEASE_MS + " ms");

    holder.close();
    passStep();
    writer.awaitEnd(LIMIT_MS);
    assertThat(writer.stopped().orElseThrow().message()).contains("the lease was taken");
    assertThat(waiting.isHeld()).isTrue();
    assertThat(metrics.getFencingStandby()).isZero();
    assertThat(metrics.getPhase()).startsWith("Stopped");
  }

  @Test
  void a_store_that_can_not_be_reached_is_a_failure_with_an_end_of_its_own() throws Exception {
    standBy(Duration.ofMinutes(20));
    before.set(LakeException.passing("the store is away", null));
    passStep();
    assertThat(writer.stopped()).as("it is away for a few minutes").isEmpty();
    assertThat(metrics.getErrorsTotal()).isPositive();
    assertThat(metrics.getFencingStandby()).isZero();

    before.set(null);
    passStep();
    assertThat(writer.stopped()).as("it is back").isEmpty();
    assertThat(metrics.getFencingStandby()).isOne();

    before.set(LakeException.passing("the store is away", null));
    passStep();
    assertThat(writer.stopped()).as("it went anew").isEmpty();
    for (int i = 0; i < 4 && writer.stopped().isEmpty(); i++) {
      passStep();
    }
    writer.awaitEnd(LIMIT_MS);
    assertThat(writer.stopped().orElseThrow().code()).isEqualTo(Stop.Code.FAILED);
    assertThat(writer.stopped().get().message())
        .contains("the store is away", "tried again for 600000 ms");
  }

  private void standBy(Duration duration) throws InterruptedException {
    long end = time.ms() + duration.toMillis();
    while (time.ms() < end) {
      passStep();
    }
  }

  /**
   * Time passes, less than one try to connect may take, and the writer tries once more at least and
   * hears what came of the last try.
   */
  private void passStep() throws InterruptedException {
    int seen = tries.get();
    time.pass(STEP.toMillis());
    for (int i = 0; tries.get() < seen + 2 && writer.stopped().isEmpty(); i++) {
      if (i < STEP_MORE_S) {
        time.pass(1_000);
      }
      TimeUnit.MILLISECONDS.sleep(5);
    }
    time.awaitLooks(SOME_LOOKS, () -> writer.stopped().isPresent());
  }
}
