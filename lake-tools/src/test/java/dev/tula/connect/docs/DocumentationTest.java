package dev.tula.connect.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.lake.TulaLake;
import dev.tula.connect.lake.doctor.Doctor;
import dev.tula.connect.lake.doctor.OnlineDoctor;
import dev.tula.connect.model.FieldType;
import dev.tula.connect.model.RecordKind;
import dev.tula.connect.model.RowField;
import dev.tula.connect.model.RowSchema;
import dev.tula.connect.model.event.LakeEvent;
import dev.tula.connect.sink.IcebergExactlyOnceSinkConnector;
import dev.tula.connect.sink.SinkPartitionMXBean;
import dev.tula.connect.sink.engine.HaltReason;
import dev.tula.connect.sink.engine.Layout;
import dev.tula.connect.sink.engine.PipelineIdentity;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.source.SourcePollsMXBean;
import dev.tula.connect.source.SourceTaskMXBean;
import dev.tula.connect.source.TulaSourceConnector;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.connect.connector.Connector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What the documentation names exists, and what must be documented is. */
class DocumentationTest {
  private static final Connector SOURCE = new TulaSourceConnector();
  private static final Connector SINK = new IcebergExactlyOnceSinkConnector();
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern KEY =
      Pattern.compile("(?<![\\w.-])((?:tula|iceberg)\\.[a-z][a-z0-9]*(?:[.-][a-z0-9]+)*)");

  /**
   * Names that begin like keys: topics, JMX domains, and properties of tables beside their state.
   */
  private static final Set<String> NO_KEYS =
      Set.of("tula.ledger", "tula.connect", "tula.state", "tula.halt", "tula.clear", "tula.reseed");

  @Test
  void every_relative_link_leads_somewhere() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path page : Docs.pages()) {
      for (String link : Docs.matches(Docs.read(page), LINK)) {
        if (!link.contains("://") && !leadsSomewhere(page, link)) {
          broken.add(Docs.root().relativize(page) + ": " + link);
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  private static boolean leadsSomewhere(Path page, String link) throws IOException {
    URI uri = URI.create(link);
    Path target = uri.getPath().isEmpty() ? page : page.resolveSibling(uri.getPath()).normalize();
    if (!Files.exists(target)) {
      return false;
    }
    return uri.getFragment() == null || Docs.anchors(Docs.read(target)).contains(uri.getFragment());
  }

  @Test
  void every_page_of_docs_is_in_the_index() throws IOException {
    Path docs = Docs.root().resolve("docs");
    String index = Docs.read("docs/README.md");
    for (Path page : Docs.filesBelow(docs, "**.md")) {
      String name = docs.relativize(page).toString();
      if (!name.equals("README.md")) {
        assertThat(index).contains("](" + name + ")");
      }
    }
  }

  @Test
  void every_key_that_is_mentioned_exists() throws IOException {
    Set<String> recorded = recordedKeys();
    List<String> unknown = new ArrayList<>();
    for (Path page : Docs.pages()) {
      for (String key : Docs.matches(Docs.read(page), KEY)) {
        if (!NO_KEYS.contains(key) && !recorded.contains(key) && !isConfigurable(key)) {
          unknown.add(Docs.root().relativize(page) + ": " + key);
        }
      }
    }
    assertThat(unknown).isEmpty();
  }

  /** A key, or what a family of keys begins with. */
  private static boolean isConfigurable(String key) {
    List<Connector> readers = key.startsWith("tula.") ? List.of(SOURCE, SINK) : List.of(SINK);
    return readers.stream()
        .anyMatch(
            reader ->
                accepts(reader, key)
                    || accepts(reader, key + ".x")
                    || reader.config().names().stream()
                        .anyMatch(name -> name.startsWith(key + ".")));
  }

  private static boolean accepts(Connector reader, String key) {
    return reader.validate(Map.of(key, "x")).configValues().stream()
        .filter(value -> value.name().equals(key))
        .flatMap(value -> value.errorMessages().stream())
        .noneMatch(message -> message.contains("Unknown key"));
  }

  /** The keys of table states and of the identity. */
  private static Set<String> recordedKeys() throws IOException {
    Set<String> keys = new TreeSet<>();
    for (String state : states()) {
      keys.addAll(TableState.ofJson(state).toProperties().keySet());
    }
    keys.addAll(
        new PipelineIdentity(
                "cluster",
                "pipeline",
                1,
                1,
                Layout.SHARED,
                false,
                false,
                28,
                PipelineIdentity.FORMAT)
            .toProperties()
            .keySet());
    return keys;
  }

  private static List<String> states() throws IOException {
    return Docs.blocks(Docs.read("docs/formats.md"), "json").stream()
        .filter(block -> block.contains("\"tula.format\""))
        .toList();
  }

  @Test
  void examples_of_events_and_states_are_what_the_code_reads_and_writes() throws IOException {
    List<String> events =
        Docs.blocks(Docs.read("docs/formats.md"), "json").stream()
            .filter(block -> block.contains("\"v\":"))
            .toList();
    assertThat(events).hasSize(5);
    assertThat(events)
        .allSatisfy(event -> assertThat(LakeEvent.parse(event).value()).isEqualTo(event.strip()));
    assertThat(states()).hasSize(2);
    assertThat(states())
        .allSatisfy(
            state -> assertThat(TableState.ofJson(state).toJson()).isEqualTo(state.strip()));
  }

  @Test
  void keys_of_events_are_those_that_the_code_writes() throws IOException {
    String page = Docs.read("docs/formats.md");
    for (String block : Docs.blocks(page, "json")) {
      if (block.contains("\"v\":")) {
        assertThat(page).contains("key `" + LakeEvent.parse(block).key() + "`");
      }
    }
  }

  @Test
  void columns_are_those_of_the_schema() throws IOException {
    String page = Docs.read("docs/formats.md");
    assertThat(tableRows(page, "### Transactions"))
        .containsExactlyElementsOf(described(RowSchema.of(RecordKind.TRANSACTION).fields()));
    for (RecordKind kind : RecordKind.values()) {
      if (kind.isMetadata()) {
        String name = kind.name().toLowerCase(Locale.ROOT).replace('_', ' ');
        List<RowField> fields = RowSchema.of(kind).fields();
        String own =
            String.join(
                ", ",
                fields.subList(8, fields.size()).stream()
                    .map(field -> field.name() + " " + typeName(field.type()))
                    .toList());
        assertThat(page).contains("| " + name + " | " + own + " |");
      }
    }
  }

  private static List<String> described(List<RowField> fields) {
    return fields.stream()
        .map(
            field ->
                field.id()
                    + " "
                    + field.name()
                    + " "
                    + typeName(field.type())
                    + " "
                    + (field.required() ? "yes" : "no"))
        .toList();
  }

  private static String typeName(FieldType type) {
    return type.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /** The first four cells of each numbered row below a heading. */
  private static List<String> tableRows(String page, String heading) {
    int from = page.indexOf(heading + "\n");
    String section = page.substring(from, page.indexOf("\n### ", from + heading.length()));
    return Pattern.compile("(?m)^\\| (\\d+) \\| (\\w+) \\| ([\\w ]+) \\| (\\w+) \\|")
        .matcher(section)
        .results()
        .map(row -> row.group(1) + " " + row.group(2) + " " + row.group(3) + " " + row.group(4))
        .toList();
  }

  @ParameterizedTest
  @ValueSource(
      classes = {SourceTaskMXBean.class, SourcePollsMXBean.class, SinkPartitionMXBean.class})
  void every_metric_is_documented(Class<?> bean) throws IOException {
    String section = sectionOf(Docs.read("docs/monitor.md"), bean);
    for (Method method : bean.getMethods()) {
      assertThat(section).contains("`" + method.getName().substring("get".length()) + "`");
    }
  }

  private static String sectionOf(String page, Class<?> bean) {
    int sink = page.indexOf("## Sink");
    return bean == SinkPartitionMXBean.class
        ? page.substring(sink)
        : page.substring(page.indexOf("## Source"), sink);
  }

  @Test
  void every_kind_of_halt_has_a_section() throws IOException {
    Set<String> anchors = Docs.anchors(Docs.read("docs/recover.md"));
    assertThat(anchors).contains("halts", "87", "88", "fenced");
    assertThat(anchors).containsAll(Stream.of(HaltReason.values()).map(HaltReason::word).toList());
  }

  @Test
  void every_rule_and_every_invariant_has_an_anchor() throws IOException {
    assertThat(Docs.anchors(Docs.read("docs/protocol/commit-protocol.md")))
        .containsAll(IntStream.rangeClosed(1, 30).mapToObj(rule -> "c" + rule).toList());
    assertThat(Docs.anchors(Docs.read("docs/design.md")))
        .containsAll(IntStream.rangeClosed(1, 9).mapToObj(invariant -> "i" + invariant).toList());
  }

  @Test
  void every_class_that_the_protocol_and_the_design_name_exists() throws IOException {
    Set<String> classes = new TreeSet<>();
    for (Path source : Docs.sources("**.java")) {
      classes.add(source.getFileName().toString().replace(".java", ""));
    }
    List<String> missing = new ArrayList<>();
    for (String page : List.of("docs/design.md", "docs/protocol/commit-protocol.md")) {
      Pattern name = Pattern.compile("`(?:lake\\.|events\\.)?([A-Z][a-z]+[A-Z]\\w*)(?:\\.\\w+)*`");
      for (String named : Docs.matches(Docs.read(page), name)) {
        if (!classes.contains(named) && !named.equals("CommitStateUnknownException")) {
          missing.add(page + ": " + named);
        }
      }
    }
    assertThat(missing).isEmpty();
  }

  @Test
  void every_test_that_the_page_of_known_faults_names_exists() throws IOException {
    Set<String> tests = new TreeSet<>();
    Pattern method = Pattern.compile("void (\\w+)\\(");
    for (Path source : Docs.sources("**.java")) {
      String owner = source.getFileName().toString().replace(".java", "");
      tests.add(owner);
      Docs.matches(Docs.read(source), method).forEach(name -> tests.add(owner + "." + name));
    }
    Set<String> named =
        Docs.matches(
            Docs.read("docs/known-faults.md"),
            Pattern.compile("`(\\w+(?:Test|Cases|IT)(?:\\.\\w+)?)`"));
    assertThat(named).hasSizeGreaterThan(20);
    assertThat(tests).containsAll(named);
  }

  @Test
  void every_page_that_the_code_refers_to_exists() throws IOException {
    Pattern reference = Pattern.compile("\\b(docs/[\\w/-]+\\.md)\\b");
    List<String> missing = new ArrayList<>();
    for (Path source : Docs.sources("**.{java,properties,xml}")) {
      for (String page : Docs.matches(Docs.read(source), reference)) {
        if (!Files.exists(Docs.root().resolve(page))) {
          missing.add(Docs.root().relativize(source) + ": " + page);
        }
      }
    }
    assertThat(missing).isEmpty();
  }

  @Test
  void every_command_of_tula_lake_that_is_mentioned_exists() throws IOException {
    CommandLine tool = new CommandLine(new TulaLake()).setCaseInsensitiveEnumValuesAllowed(true);
    Pattern call = Pattern.compile("(?m)(?:^|[`/ ])tula-lake ((?:[a-z-]+)(?: [^`|\\n#]*)?)");
    List<String> unknown = new ArrayList<>();
    for (Path page : Docs.pages()) {
      String code = String.join("\n", Docs.blocks(Docs.read(page), "sh"));
      for (String arguments : Docs.matches(code, call)) {
        if (!isAccepted(tool, arguments.strip().split(" +"))) {
          unknown.add(Docs.root().relativize(page) + ": tula-lake " + arguments);
        }
      }
    }
    assertThat(unknown).isEmpty();
  }

  private static boolean isAccepted(CommandLine tool, String[] arguments) {
    try {
      tool.parseArgs(arguments);
      return true;
    } catch (CommandLine.ParameterException e) {
      return false;
    }
  }

  @Test
  void every_command_and_option_of_tula_lake_is_documented() throws IOException {
    String page = Docs.read("docs/tula-lake.md");
    new CommandLine(new TulaLake())
        .getSubcommands()
        .forEach(
            (name, command) -> {
              assertThat(page).contains("**" + name + "**");
              assertThat(command.getCommandSpec().options())
                  .filteredOn(option -> !option.usageHelp() && !option.versionHelp())
                  .allSatisfy(
                      option ->
                          assertThat(page).containsPattern("[` ]" + option.longestName() + "[ `]"));
            });
  }

  @Test
  void every_check_of_the_doctor_is_documented() throws IOException {
    String page = Docs.read("docs/tula-lake.md");
    String section =
        page.substring(page.indexOf("\n## Doctor\n"), page.indexOf("\n## Exit codes\n"));
    Pattern row = Pattern.compile("(?m)^\\| `([a-z0-9-]+\\.[a-z0-9-]+)` \\|");
    assertThat(row.matcher(section).results().map(match -> match.group(1)))
        .containsExactlyElementsOf(
            Stream.of(Doctor.checks(), OnlineDoctor.checks()).flatMap(List::stream).toList());
  }

  @Test
  void readme_stays_short() throws IOException {
    assertThat(Docs.read("README.md").lines().count()).isLessThan(200);
  }
}
