package dev.tula.connect.restcatalog;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The main job as {@code bin/run-local --catalog rest} does it; {@link ChaosIT} is on REST and S3.
 */
@DisplayName("I1, I2, I4: every row once, and no ack above the watermark")
class MainJobOnRestIT {
  @Test
  void a_ledger_reaches_the_lake_row_for_row() throws Exception {
    String last =
        StackProcess.lastLineOf(
            "dev.tula.connect.local.RunLocal",
            "--rows",
            "20000",
            "--verify",
            "--exit",
            "--catalog",
            "rest");

    assertThat(last)
        .contains(
            "\"rows\":20000",
            "\"missing\":0",
            "\"duplicated\":0",
            "\"different\":0",
            "\"acks_above_watermark\":0",
            "\"verified\":true");
  }
}
