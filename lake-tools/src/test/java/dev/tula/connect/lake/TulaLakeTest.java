package dev.tula.connect.lake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.lake.output.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The command line itself: usage, help, and failures before anything is connected to. */
class TulaLakeTest {
  private static final String[] COMMANDS = {
    "doctor",
    "status",
    "watermark",
    "reconcile",
    "verify",
    "cleanup",
    "compact",
    "repair",
    "reseed",
    "clear-durability-halt"
  };

  @TempDir private Path folder;

  @Test
  void without_a_command_it_names_them_all() {
    CliRun run = CliRun.of().exits(ExitCode.USAGE);

    assertThat(run.err()).contains("name a command").contains(COMMANDS);
    assertThat(run.out()).isEmpty();
  }

  @Test
  void help_names_commands_and_exit_codes() {
    CliRun run = CliRun.of("--help").exits(ExitCode.OK);

    assertThat(run.out()).contains(COMMANDS).contains("Exit codes:", "86");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"status", "watermark", "reconcile", "verify", "cleanup", "clear-durability-halt"})
  void every_command_has_help_and_insists_on_one_configuration(String command) {
    assertThat(CliRun.of(command, "--help").exits(ExitCode.OK).out())
        .contains("--config", "--connect-url", "--connector", "--partition", "--output");
    assertThat(CliRun.of(command).exits(ExitCode.USAGE).err()).contains("--config");
    CliRun.of(command, "--connect-url", "http://x").exits(ExitCode.USAGE);
    CliRun.of(command, "--connector", "x").exits(ExitCode.USAGE);
    CliRun.of(command, "--config", "f", "--connect-url", "http://x", "--connector", "x")
        .exits(ExitCode.USAGE);
    CliRun.of(command, "--config", "f", "--output", "xml").exits(ExitCode.USAGE);
    CliRun.of(command, "--config", "f", "--partition", "first").exits(ExitCode.USAGE);
    CliRun.of(command, "--config", "f", "superfluous").exits(ExitCode.USAGE);
  }

  @Test
  void a_command_that_does_not_exist_is_answered_with_a_near_one() {
    assertThat(CliRun.of("reconcil").exits(ExitCode.USAGE).err()).contains("reconcile");
  }

  @Test
  void an_error_is_one_message_and_a_trace_only_if_asked_for() {
    String missing = folder.resolve("missing.json").toString();

    assertThat(CliRun.of("status", "--config", missing).exits(ExitCode.ERROR).err())
        .isEqualTo("tula-lake: there is no file " + missing + System.lineSeparator());
    assertThat(CliRun.of("status", "--config", missing, "--verbose").exits(ExitCode.ERROR).err())
        .contains("at dev.tula.connect.lake");
  }

  @Test
  void a_configuration_that_the_sink_refuses_is_refused_before_anything_is_connected_to()
      throws Exception {
    Path file = Files.writeString(folder.resolve("sink.json"), "{\"topics\": \"t\"}");

    assertThat(CliRun.of("status", "--config", file.toString()).exits(ExitCode.ERROR).err())
        .contains("the sink refuses this configuration", "tula.cluster.id", "iceberg.namespace");
  }

  @Test
  void the_version_is_printed() {
    assertThat(CliRun.of("--version").exits(ExitCode.OK).out()).startsWith("tula-lake ");
  }
}
