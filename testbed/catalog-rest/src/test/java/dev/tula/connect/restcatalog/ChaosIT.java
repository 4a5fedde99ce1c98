package dev.tula.connect.restcatalog;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * {@code bin/chaos} for three minutes, over a source that writes exactly once; {@code
 * -Dtula.chaos.seed=2} is over one that writes at least once. Longer runs are that command's.
 */
@DisplayName("I1, I2, I4, I6: whatever part of the stack fails")
class ChaosIT {
  private static final long SEED = Long.getLong("tula.chaos.seed", 1);

  /** A fault begins every seven seconds at least, and each kind comes before any comes again. */
  private static final int MIN_FAULTS = 12;

  private static final int MIN_KINDS = 10;

  @Test
  @Timeout(value = 20, unit = TimeUnit.MINUTES)
  void every_row_is_in_the_lake_once_whatever_fails() throws Exception {
    JsonNode report =
        new ObjectMapper()
            .readTree(
                StackProcess.lastLineOf(
                    "dev.tula.connect.local.chaos.ChaosCommand",
                    "--minutes",
                    "3",
                    "--seed",
                    Long.toString(SEED)));

    for (String wrong :
        List.of("missing", "duplicated", "different", "unexpected", "acks_above_watermark")) {
      assertThat(report.path(wrong).asInt(-1)).as(wrong).isZero();
    }
    assertThat(report.path("rows").asLong()).as("rows").isPositive();
    assertThat(report.path("acks").asInt()).as("acks").isPositive();
    assertThat(report.path("verified").asBoolean()).as("verified").isTrue();
    assertThat(report.path("exactly_once_source").asBoolean()).isEqualTo(SEED % 2 != 0);
    assertThat(report.path("task_restarts_unexplained").asInt(-1)).isZero();
    assertThat(report.path("faults").asInt()).as("faults").isGreaterThanOrEqualTo(MIN_FAULTS);
    assertThat(report.path("kinds_of_faults").asInt())
        .as("kinds of faults")
        .isGreaterThanOrEqualTo(MIN_KINDS);
    assertThat(report.path("polls_ms").path("total").asLong()).as("polls").isPositive();
    assertThat(report.path("stops_ms").path("total").asLong()).as("stops").isPositive();
    assertLakeWasKept(report.path("maintenance"));
  }

  /** During the faults a command may be stopped or killed; afterwards it has to do its work. */
  private static void assertLakeWasKept(JsonNode commands) {
    assertThat(commands.fieldNames())
        .toIterable()
        .anyMatch(how -> how.startsWith("cleanup: "))
        .anyMatch(how -> how.startsWith("compact: "))
        .anyMatch(how -> how.startsWith("verify: "))
        .contains(
            "after the faults, verify: ended with 2",
            "after the faults, repair: ended with 0",
            "after the faults, clear-durability-halt: ended with 0",
            "after the faults, verify: ended with 0");
  }
}
