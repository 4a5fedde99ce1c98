package dev.tula.connect.local.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.local.AckCheck;
import dev.tula.connect.local.LakeVerdict;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ChaosReportTest {
  private final TaskFailures failures = new TaskFailures(5);

  private ChaosReport report() {
    return new ChaosReport(
        new ChaosOptions(Duration.ofMinutes(3), 1, 1_000),
        true,
        Map.of("broker killed (SIGKILL)", new FaultRunner.Tally(2, 900)),
        Map.of("verify: done", 1),
        failures,
        SourceTimes.of(List.of(), List.of()),
        new LakeVerdict(0, List.of(), List.of()),
        new AckCheck(1, List.of()));
  }

  private static String printed(ChaosReport report) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    report.print(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  void a_failure_that_a_fault_explains_is_shown_and_the_run_is_good() {
    failures.add("sink", "TULA-FENCED t-0: a newer writer\n");
    assertThat(report().good()).isTrue();
    assertThat(printed(report()))
        .contains("1  by a fault: sink: TULA-FENCED t-0: a newer writer")
        .contains("\"task_restarts\":1,\"task_restarts_unexplained\":0")
        .contains("\"verified\":true");
  }

  @Test
  void a_failure_that_none_explains_fails_the_run_though_every_row_is_right() {
    failures.add("sink", "the writer of t-0 failed unexpectedly: java.lang.NullPointerException\n");
    assertThat(report().good()).isFalse();
    assertThat(printed(report()))
        .contains("1  that no fault explains: sink: the writer of t-0 failed unexpectedly")
        .contains("\"task_restarts\":1,\"task_restarts_unexplained\":1")
        .contains("\"verified\":false");
  }
}
