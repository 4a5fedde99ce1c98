package dev.tula.connect.local.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tula.connect.local.TestPaths;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code bin/bench-source} on a ledger that is far too small to measure anything. */
class BenchSourceIT {
  @Test
  void every_record_is_in_kafka_before_the_time_is_taken() throws Exception {
    System.setProperty("tula.root", TestPaths.root().toString());
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    String[] args = {"--rows", "3000", "--exactly-once", "true", "--converter", "compact"};
    int exitCode =
        BenchSourceCommand.run(args, new PrintStream(bytes, true, StandardCharsets.UTF_8));
    String output = bytes.toString(StandardCharsets.UTF_8);
    assertThat(exitCode).as(output).isZero();
    List<String> lines = output.lines().toList();
    JsonNode run = new ObjectMapper().readTree(lines.get(lines.size() - 1)).path("runs").path(0);
    assertThat(run.path("rows").asLong()).isEqualTo(3_000);
    assertThat(run.path("bytes").asLong()).isPositive();
    assertThat(run.path("seconds_since_start").asDouble())
        .isGreaterThanOrEqualTo(run.path("seconds").asDouble());
  }
}
