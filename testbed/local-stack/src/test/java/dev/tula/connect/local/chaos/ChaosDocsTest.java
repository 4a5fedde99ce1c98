package dev.tula.connect.local.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** {@code docs/chaos.md} against the command. */
class ChaosDocsTest {
  @Test
  void every_flag_is_documented_and_no_other() throws IOException {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("docs/chaos.md"))) {
      folder = folder.getParent();
    }
    Set<String> documented = new TreeSet<>();
    Pattern.compile("--[a-z-]+")
        .matcher(Files.readString(folder.resolve("docs/chaos.md")))
        .results()
        .forEach(match -> documented.add(match.group()));
    Set<String> known = new TreeSet<>();
    new CommandLine(new ChaosCommand(System.out))
        .getCommandSpec()
        .options()
        .forEach(option -> known.add(option.longestName()));
    known.removeAll(Set.of("--help", "--version"));
    assertThat(documented).isEqualTo(known);
  }
}
