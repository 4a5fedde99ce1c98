package dev.tula.connect.local.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.local.RunDirectory;
import dev.tula.connect.local.TestPaths;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code bin/chaos} for three minutes; longer runs are that command's. */
class ChaosIT {
  private static final long SEED = Long.getLong("tula.chaos.seed", 1);
  private static final Duration LENGTH = Duration.ofMinutes(3);
  private static final double RATE = 1_000;

  @Test
  @Timeout(value = 15, unit = TimeUnit.MINUTES)
  @DisplayName("I1, I2, I4, I6: whatever part of the stack fails, each row is in the lake once")
  void every_row_is_in_the_lake_once_whatever_fails() {
    Path root = TestPaths.root();
    RunDirectory directory = RunDirectory.make(root, Optional.empty());
    ChaosOptions options = new ChaosOptions(LENGTH, SEED, RATE);
    try (ChaosRun run = new ChaosRun(options, root, directory.path(), System.out)) {
      ChaosReport report = run.run();
      report.print(System.out);
      assertThat(report.acks().violations()).isEmpty();
      assertThat(report.lake().problems()).isEmpty();
      assertThat(report.lake().agrees()).isTrue();
      assertThat(report.lake().rows()).isPositive();
      assertThat(report.faults().size()).isGreaterThan(20);
    }
    directory.discard();
  }
}
