package dev.tula.connect.restcatalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code bin/chaos} for three minutes; longer runs are that command's. */
@DisplayName("I1, I2, I4, I6: whatever part of the stack fails")
class ChaosIT {
  @Test
  @Timeout(value = 20, unit = TimeUnit.MINUTES)
  void every_row_is_in_the_lake_once_whatever_fails() throws Exception {
    String last =
        StackProcess.lastLineOf(
            "dev.tula.connect.local.chaos.ChaosCommand", "--minutes", "3", "--seed", "1");

    assertThat(last)
        .contains(
            "\"missing\":0",
            "\"duplicated\":0",
            "\"different\":0",
            "\"unexpected\":0",
            "\"acks_above_watermark\":0",
            "\"cleanup: ",
            "\"compact: ",
            "\"verify: ",
            "\"verified\":true")
        .as("how long polls and stops took was found")
        .containsPattern("\"polls_ms\":\\{\"total\":[1-9]")
        .containsPattern("\"stops_ms\":\\{\"total\":[1-9]");
  }
}
