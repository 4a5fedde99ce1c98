package dev.tula.connect.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.lake.TulaLake;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The examples that run tula-lake by the clock call it as it wants to be called. */
class ExampleJobsTest {
  private static final String TOOL = "/opt/tula-lake/bin/tula-lake";
  private static final List<String> EXAMPLES =
      List.of(
          "local/*.json",
          "connectors/*.json",
          "connect/worker.properties",
          "connect/secrets.properties",
          "strimzi/{kafka-connect,kafka-connectors,pod-monitor}.yaml",
          "kubernetes/biglake-cleanup.yaml",
          "systemd/tula-lake-{cleanup,compact}.{service,timer}",
          "systemd/tula-lake-compact-cold",
          "monitoring/{jmx-exporter,prometheus,rules}.yml",
          "monitoring/dashboard.json");

  @Test
  void every_file_is_one_that_a_test_reads_and_that_the_documentation_lists() throws IOException {
    Set<String> read = new TreeSet<>();
    for (String glob : EXAMPLES) {
      List<Path> files = Docs.filesBelow(Examples.root(), Examples.root() + "/" + glob);
      assertThat(files).as(glob).isNotEmpty();
      files.forEach(file -> read.add(file.toString()));
    }
    assertThat(Docs.filesBelow(Examples.root(), "**").stream().map(Path::toString))
        .containsExactlyInAnyOrderElementsOf(read);

    String page = Docs.read("docs/deploy.md");
    try (Stream<Path> folders = Files.list(Examples.root())) {
      assertThat(folders)
          .allSatisfy(
              folder ->
                  assertThat(page).contains("(../config-examples/" + folder.getFileName() + "/"));
    }
  }

  private static CommandLine.ParseResult parse(List<String> arguments) {
    return new CommandLine(new TulaLake())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .parseArgs(arguments.toArray(String[]::new))
        .subcommand();
  }

  private static void assertExecutes(String command, List<String> arguments) {
    CommandLine.ParseResult parsed = parse(arguments);
    assertThat(parsed.commandSpec().name()).isEqualTo(command);
    assertThat(parsed.hasMatchedOption("--execute")).isTrue();
  }

  @Test
  void biglake_cleanup_runs_one_at_a_time_and_calls_the_tool_as_it_wants() throws IOException {
    Map<String, Object> job = Examples.yaml("kubernetes/biglake-cleanup.yaml").get(0);
    assertThat(job).containsEntry("apiVersion", "batch/v1").containsEntry("kind", "CronJob");
    assertThat(Examples.at(job, "spec", "concurrencyPolicy")).isEqualTo("Forbid");
    assertThat(Examples.at(job, "spec", "schedule").toString().split(" ")).hasSize(5);
    Object pod = Examples.at(job, "spec", "jobTemplate", "spec", "template", "spec");
    Object container = Examples.at(pod, "containers", 0);
    assertThat(Examples.at(container, "command")).isEqualTo(List.of(TOOL));
    List<String> arguments =
        Examples.list(Examples.at(container, "args")).stream().map(Object::toString).toList();
    assertExecutes("cleanup", arguments);

    Object mount = Examples.at(container, "volumeMounts", 0);
    assertThat(arguments).contains(Examples.at(mount, "mountPath") + "/sink.json");
    assertThat(Examples.at(pod, "volumes", 0, "name")).isEqualTo(Examples.at(mount, "name"));
    assertThat(Docs.read(Examples.file("kubernetes/biglake-cleanup.yaml")))
        .contains(
            "kubectl create configmap "
                + Examples.at(pod, "volumes", 0, "configMap", "name")
                + " --from-file=sink.json=connectors/sink-biglake.json");
  }

  /** Nothing in it comes from a secret: the job's pod has none. */
  @Test
  void biglake_cleanup_needs_no_secret() throws IOException {
    assertThat(Examples.json(Examples.file("connectors/sink-biglake.json")).values())
        .noneMatch(value -> value.contains("${"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"cleanup", "compact"})
  void systemd_unit_has_a_timer_and_calls_what_is_there(String command) throws IOException {
    Map<String, Map<String, String>> service = unit("tula-lake-" + command + ".service");
    assertThat(service.keySet()).containsExactlyInAnyOrder("Unit", "Service");
    assertThat(service.get("Service"))
        .containsEntry("Type", "oneshot")
        .containsKeys("User", "TimeoutStartSec");
    Map<String, Map<String, String>> timer = unit("tula-lake-" + command + ".timer");
    assertThat(timer.keySet()).containsExactlyInAnyOrder("Unit", "Timer", "Install");
    assertThat(timer.get("Timer")).containsKey("OnCalendar");
    assertThat(timer.get("Install")).containsEntry("WantedBy", "timers.target");

    List<String> words = Arrays.asList(service.get("Service").get("ExecStart").split("\\s+"));
    List<String> arguments = words.subList(1, words.size());
    if (command.equals("cleanup")) {
      assertThat(words.get(0)).isEqualTo(TOOL);
      assertExecutes("cleanup", arguments);
    } else {
      Path script = Examples.file("systemd/" + Path.of(words.get(0)).getFileName());
      assertThat(script).isExecutable();
      assertThat(service.get("Service"))
          .containsEntry("Environment.TULA_LAKE", TOOL)
          .containsKey("StateDirectory");
      // What it hands on to both commands.
      parse(Stream.concat(Stream.of("watermark"), arguments.stream()).toList());
    }
  }

  /** The sections of a unit and their keys; an environment variable under a key of its own. */
  private static Map<String, Map<String, String>> unit(String name) throws IOException {
    Map<String, Map<String, String>> sections = new TreeMap<>();
    Map<String, String> section = Map.of();
    for (String line : Docs.read(Examples.file("systemd/" + name)).lines().toList()) {
      if (line.startsWith("[")) {
        section = new TreeMap<>();
        sections.put(line.substring(1, line.length() - 1), section);
      } else if (!line.isBlank() && !line.startsWith("#")) {
        String[] parts = line.replaceFirst("^Environment=", "Environment.").split("=", 2);
        assertThat(parts).as(line).hasSize(2);
        assertThat(section.put(parts[0], parts[1])).as(line).isNull();
      }
    }
    return sections;
  }
}
