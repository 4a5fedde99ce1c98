package dev.tula.connect.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.refnode.ReferenceNode;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** docs/local.md names every option of the local commands, and no other. */
class LocalDocsTest {
  private String page;
  private String referenceNode;
  private String runLocal;

  @BeforeEach
  void read() throws IOException {
    page = Files.readString(TestPaths.root().resolve("docs/local.md"));
    int split = page.indexOf("\n## The reference node");
    runLocal = page.substring(0, split);
    referenceNode = page.substring(split);
  }

  @Test
  void every_flag_of_run_local_is_documented_and_no_other() {
    CommandLine command = new CommandLine(new RunOptions());

    assertThat(Flags.in(runLocal)).isEqualTo(Flags.of(command.getCommandSpec().options()));
  }

  @Test
  void every_option_of_the_reference_node_is_documented_and_no_other() {
    Collection<CommandLine> commands =
        new CommandLine(new ReferenceNode()).getSubcommands().values();
    List<OptionSpec> known =
        commands.stream().flatMap(command -> command.getCommandSpec().options().stream()).toList();

    assertThat(Flags.in(referenceNode)).isSubsetOf(Flags.of(known));
    assertThat(
            known.stream()
                .filter(option -> !option.usageHelp() && !option.versionHelp())
                .filter(option -> Stream.of(option.names()).noneMatch(referenceNode::contains)))
        .isEmpty();
  }

  @Test
  void every_example_of_run_local_is_accepted() throws IOException {
    Matcher calls =
        Pattern.compile("(?m)^bin/run-local +(-[^#\\n]+)")
            .matcher(
                (page + Files.readString(TestPaths.root().resolve("README.md")))
                    .replace("\\\n", " "));
    List<String> examples = calls.results().map(call -> call.group(1).strip()).toList();

    assertThat(examples).hasSizeGreaterThan(3);
    for (String example : examples) {
      RunOptions options = new RunOptions();
      new CommandLine(options)
          .setCaseInsensitiveEnumValuesAllowed(true)
          .parseArgs(example.split(" +"));
      assertThat(options.problem()).as(example).isEmpty();
    }
  }
}
