package dev.tula.connect.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkerAndBrokerIT {
  private static final long OFFSET_FLUSH_MS = 10_000;

  @TempDir Path directory;

  @Test
  void a_plain_worker_starts_is_killed_and_comes_back_at_the_same_address() throws Exception {
    Path plugins = Files.createDirectories(directory.resolve("plugins"));
    try (LocalBroker broker = LocalBroker.start(directory.resolve("broker"));
        ConnectWorkerProcess worker =
            ConnectWorkerProcess.start(
                WorkerOptions.of(
                        directory.resolve("worker"),
                        TestPaths.workerClassPath(),
                        plugins,
                        broker.bootstrapServers(),
                        Map.of())
                    .withShortSessions()
                    // The kill may come while the leader writes its session key. A transaction of
                    // its own would keep the next worker from the config topic for a minute.
                    .withoutExactlyOnceSource(OFFSET_FLUSH_MS))) {
      long firstPid = worker.process().pid();
      assertThat(worker.rest().connectorClasses())
          .as("no connector of this project is on the worker's class path")
          .noneMatch(name -> name.startsWith("dev.tula"));
      try (WorkerMetrics metrics = WorkerMetrics.attach(firstPid)) {
        assertThat(metrics.read()).isEmpty();
      }

      worker.kill();
      assertThat(worker.rest().isUp()).isFalse();
      worker.startAgain();

      assertThat(worker.rest().isUp()).isTrue();
      assertThat(worker.process().pid()).isNotEqualTo(firstPid);
      assertThat(worker.rest().status("nobody")).isEmpty();
      assertThatThrownBy(
              () ->
                  worker.rest().putConfig("nobody", Map.of("connector.class", "no.such.Connector")))
          .isInstanceOf(StackException.class)
          .hasMessageContaining("no.such.Connector");
    }
  }
}
