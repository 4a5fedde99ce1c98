package dev.tula.connect.local.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.local.TestPaths;
import java.nio.file.Files;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code docs/performance.md} against the command. */
class BenchDocsTest {
  @Test
  void every_flag_is_documented_and_no_other() throws Exception {
    Set<String> documented = new TreeSet<>();
    Pattern.compile("(?<![\\w-])--[a-z][a-z-]*")
        .matcher(Files.readString(TestPaths.root().resolve("docs/performance.md")))
        .results()
        .forEach(match -> documented.add(match.group()));
    Set<String> known = new TreeSet<>();
    BenchSourceCommand.commandLine(System.out)
        .getCommandSpec()
        .options()
        .forEach(option -> known.add(option.longestName()));
    known.removeAll(Set.of("--help", "--version"));
    assertThat(documented).isEqualTo(known);
  }
}
