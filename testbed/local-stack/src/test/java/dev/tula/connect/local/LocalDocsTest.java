package dev.tula.connect.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.refnode.ReferenceNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** docs/local.md names every option of the local commands, and no other. */
class LocalDocsTest {
  private static final Pattern OPTION = Pattern.compile("(?<![\\w-])(--[a-z][\\w-]*)");
  private String page;
  private String referenceNode;
  private String runLocal;

  @BeforeEach
  void read() throws IOException {
    page = Files.readString(root().resolve("docs/local.md"));
    int split = page.indexOf("\n## The reference node");
    runLocal = page.substring(0, split);
    referenceNode = page.substring(split);
  }

  private static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("docs/local.md"))) {
      folder = folder.getParent();
    }
    return folder;
  }

  @Test
  void every_flag_of_run_local_is_documented_and_no_other() {
    CommandLine command = new CommandLine(new RunOptions());

    assertThat(options(runLocal)).isEqualTo(names(command.getCommandSpec().options()));
  }

  @Test
  void every_option_of_the_reference_node_is_documented_and_no_other() {
    Collection<CommandLine> commands =
        new CommandLine(new ReferenceNode()).getSubcommands().values();
    List<OptionSpec> known =
        commands.stream().flatMap(command -> command.getCommandSpec().options().stream()).toList();

    assertThat(options(referenceNode)).isSubsetOf(names(known));
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
            .matcher((page + Files.readString(root().resolve("README.md"))).replace("\\\n", " "));
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

  private static Set<String> options(String text) {
    Set<String> found = new TreeSet<>();
    OPTION.matcher(text).results().map(match -> match.group(1)).forEach(found::add);
    return found;
  }

  private static Set<String> names(List<OptionSpec> options) {
    Set<String> names = new TreeSet<>();
    options.forEach(option -> names.addAll(List.of(option.names())));
    return names;
  }
}
