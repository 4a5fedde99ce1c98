package dev.tula.connect.lake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.lake.output.OutputFormat;
import dev.tula.connect.model.Position;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * The script of config-examples that compacts what is cold, run over a tool that writes down how it
 * was called and answers as tula-lake would.
 */
class ColdCompactionScriptTest {
  private static final Path SCRIPT =
      Path.of("..", "config-examples", "systemd", "tula-lake-compact-cold");

  private static final Duration TIME_LIMIT = Duration.ofMinutes(3);

  @TempDir private Path folder;
  private Path state;
  private Path calls;

  @BeforeEach
  void prepare() throws IOException {
    state = Files.createDirectory(folder.resolve("state"));
    calls = folder.resolve("calls");
    tool(0);
    lakeAt(0, Position.batchEnd(90), Position.batchEnd(85));
  }

  @Test
  void nothing_is_compacted_before_a_watermark_is_old_enough() throws Exception {
    assertThat(run()).isZero();
    assertThat(compactions()).isEmpty();
    assertThat(Files.readString(state.resolve("watermarks")))
        .endsWith(" " + Position.batchEnd(85) + "\n");
  }

  @Test
  void what_was_below_every_watermark_some_days_ago_is_compacted_from_the_beginning()
      throws Exception {
    seen(Duration.ofDays(5), Position.batchEnd(30));
    seen(Duration.ofDays(4), Position.batchEnd(41));
    seen(Duration.ofDays(2), Position.batchEnd(77));

    assertThat(run()).isZero();
    assertThat(compactions())
        .containsExactly(
            "compact --config sink.json --from 0 --to " + Position.batchEnd(41) + " --execute");
    assertThat(compactions()).allSatisfy(ColdCompactionScriptTest::isAccepted);
  }

  @Test
  void the_next_run_goes_on_where_the_last_one_ended() throws Exception {
    seen(Duration.ofDays(4), Position.batchEnd(41));
    assertThat(run()).isZero();
    assertThat(run()).isZero();
    assertThat(compactions()).hasSize(1);

    seen(Duration.ofDays(3).plusHours(1), Position.batchEnd(60));
    assertThat(run()).isZero();
    assertThat(compactions())
        .hasSize(2)
        .last()
        .isEqualTo(
            "compact --config sink.json --from "
                + Position.batchEnd(41)
                + " --to "
                + Position.batchEnd(60)
                + " --execute");
    assertThat(compactions()).allSatisfy(ColdCompactionScriptTest::isAccepted);
  }

  @Test
  void a_lake_that_is_not_complete_is_left_alone() throws Exception {
    seen(Duration.ofDays(4), Position.batchEnd(41));
    lakeAt(2, Position.batchEnd(90), Position.batchEnd(85));
    assertThat(run()).isEqualTo(2);
    assertThat(compactions()).isEmpty();
  }

  @Test
  void a_range_that_was_left_alone_is_tried_again() throws Exception {
    seen(Duration.ofDays(4), Position.batchEnd(41));
    tool(2);
    assertThat(run()).isEqualTo(2);
    tool(0);
    assertThat(run()).isZero();
    assertThat(compactions()).hasSize(2);
    assertThat(compactions().get(1)).isEqualTo(compactions().get(0));
  }

  private static void isAccepted(String call) {
    new CommandLine(new TulaLake())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .parseArgs(call.split(" "));
  }

  /** A watermark that an earlier run wrote down. */
  private void seen(Duration ago, Position watermark) throws IOException {
    Path file = state.resolve("watermarks");
    String before = Files.exists(file) ? Files.readString(file) : "";
    String line = Instant.now().minus(ago).getEpochSecond() + " " + watermark + "\n";
    // In the order of time, as runs would have written them.
    Files.writeString(
        file, String.join("", (before + line).lines().sorted().map(each -> each + "\n").toList()));
  }

  /** What the tool answers for the watermark: the real report's text. */
  private void lakeAt(int exitCode, Position first, Position second) throws IOException {
    WatermarkReport report = new WatermarkReport(List.of(row(0, first), row(1, second)));
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text);
    OutputFormat.CSV.print(report, out);
    out.flush();
    Files.writeString(folder.resolve("watermark.csv"), text.toString());
    Files.writeString(folder.resolve("watermark.exit"), exitCode + "\n");
  }

  private static WatermarkReport.Row row(int partition, Position watermark) {
    return new WatermarkReport.Row(
        partition, Optional.of(watermark), Optional.of(Instant.EPOCH), List.of());
  }

  private void tool(int compactExit) throws IOException {
    Path tool = folder.resolve("tool");
    Files.writeString(
        tool,
        String.join(
            "\n",
            "#!/bin/sh",
            "echo \"$*\" >> '" + calls + "'",
            "if [ \"$1\" = watermark ]; then",
            "  cat '" + folder.resolve("watermark.csv") + "'",
            "  exit \"$(cat '" + folder.resolve("watermark.exit") + "')\"",
            "fi",
            "exit " + compactExit,
            ""));
    Files.setPosixFilePermissions(tool, PosixFilePermissions.fromString("rwx------"));
  }

  private List<String> compactions() throws IOException {
    return Files.readAllLines(calls).stream().filter(call -> call.startsWith("compact")).toList();
  }

  private int run() throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder("sh", SCRIPT.toAbsolutePath().toString(), "--config", "sink.json");
    builder.environment().put("TULA_LAKE", folder.resolve("tool").toString());
    builder.environment().put("TULA_COLD_DAYS", "3");
    builder.environment().put("STATE_DIRECTORY", state.toString());
    builder.redirectErrorStream(true).redirectOutput(folder.resolve("output").toFile());
    Process process = builder.start();
    assertThat(process.waitFor(TIME_LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }
}
