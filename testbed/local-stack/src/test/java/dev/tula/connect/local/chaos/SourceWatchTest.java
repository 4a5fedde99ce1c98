package dev.tula.connect.local.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class SourceWatchTest {
  @TempDir Path directory;

  @Test
  void a_worker_that_is_gone_is_looked_for_once_a_second_and_no_oftener() throws Exception {
    BlockingQueue<Long> looks = new LinkedBlockingQueue<>();
    LongSupplier gone =
        () -> {
          looks.add(System.nanoTime());
          throw new IllegalStateException("there is no such process");
        };
    try (SourceWatch watch = new SourceWatch("watch", () -> true, gone, directory)) {
      assertThat(watch).isNotNull();
      long first = looks.take();
      assertThat(looks.take() - first).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(900));
    }
  }
}
