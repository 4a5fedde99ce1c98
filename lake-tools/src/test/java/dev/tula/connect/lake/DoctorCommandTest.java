package dev.tula.connect.lake;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tula.connect.lake.output.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command: what it reads, how it answers, what it exits with. */
class DoctorCommandTest {
  private static final String SOUND =
      """
      connector.class=dev.tula.connect.sink.IcebergExactlyOnceSinkConnector
      topics=ledger.data
      value.converter=dev.tula.connect.model.LedgerConverter
      consumer.override.isolation.level=read_committed
      tula.cluster.id=c
      tula.pipeline=ledger
      iceberg.namespace=ledger
      iceberg.catalog.type=jdbc
      iceberg.catalog.uri=jdbc:postgresql://db.invalid/iceberg
      iceberg.catalog.warehouse=file:///lake
      """;

  @TempDir private Path folder;
  private String sink;

  @BeforeEach
  void write_configuration() throws IOException {
    sink = file("sink.properties", SOUND);
  }

  private String file(String name, String content) throws IOException {
    return Files.writeString(folder.resolve(name), content).toString();
  }

  private static CliRun doctor(String... args) {
    List<String> all = new ArrayList<>(List.of("doctor"));
    all.addAll(List.of(args));
    return CliRun.of(all.toArray(String[]::new));
  }

  @Test
  void nothing_that_fails_is_exit_0_with_warnings_too() throws IOException {
    assertThat(doctor("--config", sink).exits(ExitCode.OK).out())
        .contains("Catalog: JDBC. 0 FAIL, 0 warn");
    String warned =
        file("warned.properties", SOUND.replace("isolation.level=read_committed", "x=y"));
    assertThat(doctor("--config", warned).exits(ExitCode.OK).out())
        .contains("warn  consumer.override.isolation.level: Set it to read_committed");
  }

  @Test
  void check_that_fails_is_exit_2_and_all_errors_of_the_connectors_are_there() throws IOException {
    String wrong =
        file(
            "wrong.properties",
            SOUND.replace("iceberg.catalog.warehouse", "iceberg.catalog.warehuose")
                + "tula.generation=0\ntula.layuot=shared\n");

    assertThat(doctor("--config", wrong).exits(ExitCode.FAIL).out())
        .contains(
            "FAIL  tula.generation: ",
            "FAIL  tula.layuot: Unknown key tula.layuot; did you mean tula.layout?",
            "FAIL  iceberg.catalog.warehouse: ");
  }

  @Test
  void json_and_csv_have_every_finding() {
    JsonNode json = doctor("--config", sink, "--output", "json").exits(ExitCode.OK).json();

    assertThat(json.get("verdict").textValue()).isEqualTo("PASS");
    assertThat(json.get("catalog").textValue()).isEqualTo("JDBC");
    assertThat(json.get("findings").get(0).get("check").textValue()).isEqualTo("sink.config");
    assertThat(json.get("findings").get(0).get("verdict").textValue()).isEqualTo("ok");
    List<String> csv =
        doctor("--config", sink, "--output", "csv").exits(ExitCode.OK).out().lines().toList();
    assertThat(csv.get(0)).isEqualTo("check,key,verdict,seen,advice");
    assertThat(csv).hasSize(1 + json.get("findings").size());
  }

  @Test
  void source_and_worker_are_read_where_they_are_named() throws IOException {
    String source =
        file(
            "source.json",
            """
            {"name": "s", "config": {
              "connector.class": "dev.tula.connect.source.TulaSourceConnector",
              "value.converter": "dev.tula.connect.model.LedgerConverter",
              "tula.hosts": "127.0.0.1:1",
              "tula.cluster.id": "c",
              "tula.pipeline": "other",
              "tula.topic": "ledger.data",
              "tula.kafka.bootstrap.servers": "127.0.0.1:1"}}
            """);
    String worker = file("worker.properties", "plugin.path=/plugins\n");

    assertThat(doctor("--config", sink, "--source-config", source).exits(ExitCode.FAIL).out())
        .contains("FAIL  tula.pipeline: Set it the same in both");
    assertThat(
            doctor("--config", sink, "--source-config", source, "--worker-config", worker)
                .exits(ExitCode.FAIL)
                .out())
        .contains("warn  exactly.once.source.support: ")
        .doesNotContain("skipped  exactly.once");
  }

  @Test
  void placeholders_are_resolved_as_the_worker_does_and_its_own_secrets_are_left_alone()
      throws IOException {
    String secrets = file("secrets.properties", "type=glue");
    String worker =
        file(
            "worker.properties",
            "config.providers=vault\n"
                + "config.providers.vault.class="
                + "org.apache.kafka.common.config.provider.FileConfigProvider\n"
                + "sasl.jaas.config=${unreachable:x:y}\n");
    String config =
        file("vault.properties", SOUND.replace("=jdbc\n", "=${vault:" + secrets + ":type}\n"));

    assertThat(doctor("--config", config, "--worker-config", worker).exits(ExitCode.OK).out())
        .contains("Catalog: Glue.");
    assertThat(doctor("--config", config).exits(ExitCode.ERROR).err())
        .contains("iceberg.catalog.type", "--worker-config");
  }

  @Test
  void schedule_of_the_cleanup_is_judged() {
    assertThat(
            doctor("--config", sink, "--cleanup-every", "1d", "--cleanup-older-than", "1h").out())
        .contains("snapshots and");
    assertThat(doctor("--config", sink, "--cleanup-every", "0s").exits(ExitCode.USAGE).err())
        .contains("--cleanup-every must be above 0");
    assertThat(doctor("--config", sink, "--cleanup-keep", "0").exits(ExitCode.USAGE).err())
        .contains("--cleanup-keep must be 1 or more");
    doctor("--config", sink, "--cleanup-every", "soon").exits(ExitCode.USAGE);
  }

  @Test
  void what_it_cannot_read_is_an_error() throws IOException {
    doctor().exits(ExitCode.USAGE);
    doctor("--config", sink, "--partition", "0").exits(ExitCode.USAGE);
    String missing = folder.resolve("missing").toString();
    assertThat(doctor("--config", sink, "--source-config", missing).exits(ExitCode.ERROR).err())
        .contains("there is no file " + missing);
    String source = file("other.properties", SOUND.replace("IcebergExactlyOnceSink", "Other"));
    assertThat(doctor("--config", source).exits(ExitCode.ERROR).err())
        .contains("this is the configuration of a dev.tula.connect.sink.OtherConnector");
    assertThat(doctor("--config", missing, "--verbose").exits(ExitCode.ERROR).err())
        .contains("at dev.tula.connect.lake");
  }

  /** The example in docs/tula-lake.md is what the command answers. */
  @Test
  void documented_example_is_a_real_one() throws IOException {
    String page = Files.readString(docs().resolve("tula-lake.md"));
    String section = page.substring(page.indexOf("\n## Doctor\n"));
    String config = file("example.properties", block(section, "properties"));
    String[] options = block(section, "sh").strip().split(" +");
    String[] args = Arrays.copyOfRange(options, 2, options.length);
    args[1] = config;

    assertThat(doctor(args).exits(ExitCode.FAIL).out()).isEqualTo(block(section, "text"));
  }

  private static String block(String section, String language) {
    return Pattern.compile("(?ms)^```" + language + "\\R(.*?)^```")
        .matcher(section)
        .results()
        .map((MatchResult match) -> match.group(1))
        .findFirst()
        .orElseThrow();
  }

  private static Path docs() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("docs/tula-lake.md"))) {
      folder = folder.getParent();
    }
    return folder.resolve("docs");
  }
}
