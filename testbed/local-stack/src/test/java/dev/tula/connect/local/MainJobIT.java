package dev.tula.connect.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The main job as {@code bin/run-local} does it, on the zips that the build has just made. */
@DisplayName("I1, I2, I4: every row once, and no ack above the watermark")
class MainJobIT {
  @BeforeAll
  static void find_the_project() {
    System.setProperty("tula.root", TestPaths.root().toString());
  }

  @Test
  void a_ledger_reaches_the_lake_row_for_row() throws Exception {
    JsonNode report = run("--rows", "50000", "--verify", "--exit");

    assertThat(report.path("rows").asLong()).isEqualTo(50_000);
    assertThat(report.path("tables").asInt()).isEqualTo(13);
    assertThat(report.path("acks").asInt()).isPositive();
  }

  @Test
  void partitions_full_records_and_another_layout_reach_the_lake_too() throws Exception {
    JsonNode report =
        run(
            "--rows",
            "20000",
            "--verify",
            "--exit",
            "--partitions",
            "3",
            "--full-record",
            "--layout",
            "shared",
            "--converter",
            "json");

    assertThat(report.path("rows").asLong()).isEqualTo(20_000);
    assertThat(report.path("tables").asInt()).isEqualTo(3 * 6);
  }

  @Test
  void a_worker_killed_between_send_and_offset_flush_sends_again_and_nothing_is_doubled()
      throws Exception {
    JsonNode report =
        run(
            "--rows",
            "40000",
            "--verify",
            "--exit",
            "--kill-worker",
            "2",
            "--no-exactly-once-source",
            "--commit-interval",
            "500");

    assertThat(report.path("kills").asInt()).isEqualTo(2);
    assertThat(report.path("replayed").asLong()).isPositive();
  }

  private static JsonNode run(String... args) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int exitCode = RunLocal.run(args, new PrintStream(bytes, true, StandardCharsets.UTF_8));
    String output = bytes.toString(StandardCharsets.UTF_8);
    assertThat(exitCode).as(output).isZero();
    List<String> lines = output.lines().toList();
    JsonNode report = new ObjectMapper().readTree(lines.get(lines.size() - 1));
    for (String count : List.of("missing", "duplicated", "different", "acks_above_watermark")) {
      assertThat(report.path(count).asLong(-1)).as(count).isZero();
    }
    assertThat(report.path("verified").asBoolean()).isTrue();
    return report;
  }
}
