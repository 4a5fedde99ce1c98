package dev.tula.connect.local.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.local.Flags;
import dev.tula.connect.local.TestPaths;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** {@code docs/chaos.md} against the command. */
class ChaosDocsTest {
  @Test
  void every_flag_is_documented_and_no_other() throws IOException {
    String page = Files.readString(TestPaths.root().resolve("docs/chaos.md"));
    CommandLine command = new CommandLine(new ChaosCommand(System.out));

    assertThat(Flags.in(page)).isEqualTo(Flags.of(command.getCommandSpec().options()));
  }
}
