package dev.tula.connect.local.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.local.Flags;
import dev.tula.connect.local.TestPaths;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** {@code docs/performance.md} against the command. */
class BenchDocsTest {
  @Test
  void every_flag_is_documented_and_no_other() throws IOException {
    String page = Files.readString(TestPaths.root().resolve("docs/performance.md"));
    CommandLine command = BenchSourceCommand.commandLine(System.out);

    assertThat(Flags.in(page)).isEqualTo(Flags.of(command.getCommandSpec().options()));
  }
}
