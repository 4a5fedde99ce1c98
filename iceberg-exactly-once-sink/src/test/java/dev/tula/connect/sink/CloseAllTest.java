package dev.tula.connect.sink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.sink.fencing.LeaseHeldException;
import dev.tula.connect.sink.fencing.LeaseKeeper;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class CloseAllTest {
  private static final long LEASE_MS = 3_600_000;

  @TempDir private Path folder;

  @Test
  void each_part_is_closed_in_order_whatever_the_others_do() {
    List<String> closed = new ArrayList<>();

    CloseAll.of(
            () -> closed.add("lake"),
            () -> {
              closed.add("events");
              throw new IllegalStateException("can't be closed");
            },
            () -> closed.add("lease"))
        .run();

    assertThat(closed).containsExactly("lake", "events", "lease");
  }

  @Test
  void a_lease_is_given_up_though_the_writers_end_interrupts_its_producers() {
    LeaseKeeper lease = keeper("first");
    lease.take();
    KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", "127.0.0.1:1"),
            new StringSerializer(),
            new StringSerializer());
    List<Boolean> interrupted = new ArrayList<>();
    Thread.currentThread().interrupt();

    CloseAll.of(
            () -> {
              try {
                producer.close();
              } catch (InterruptException e) {
                interrupted.add(true);
                throw e;
              }
            },
            lease::close)
        .run();

    assertThat(Thread.interrupted()).as("the flag outlives it").isTrue();
    assertThat(interrupted).containsExactly(true);
    assertThatNextOneTakesIt();
  }

  /** At once, or it would stand by for an hour. */
  private void assertThatNextOneTakesIt() {
    try (LeaseKeeper next = keeper("second")) {
      long deadline = System.nanoTime() + 60_000_000_000L;
      while (!next.isHeld() && System.nanoTime() < deadline) {
        try {
          next.take();
        } catch (LeaseHeldException e) {
          Thread.onSpinWait(); // the keeper gives it up on a thread of its own
        }
      }
      assertThat(next.isHeld()).isTrue();
    }
  }

  private LeaseKeeper keeper(String owner) {
    return LeaseKeeper.of(folder.toUri().toString(), new Properties(), "p0", owner, LEASE_MS);
  }
}
