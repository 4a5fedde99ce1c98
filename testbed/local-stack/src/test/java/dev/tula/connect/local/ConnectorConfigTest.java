package dev.tula.connect.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConnectorConfigTest {
  private static final Map<String, String> ENVIRONMENT =
      Map.of(
          "TULA_LOCAL_HOSTS", "127.0.0.1:7800",
          "TULA_LOCAL_CLUSTER_ID", "c1",
          "TULA_LOCAL_BOOTSTRAP_SERVERS", "127.0.0.1:9092",
          "TULA_LOCAL_CATALOG_URI", "jdbc:sqlite:/lake/$catalog.db",
          "TULA_LOCAL_S3_ENDPOINT", "http://127.0.0.1:9000",
          "TULA_LOCAL_WAREHOUSE", "file:///lake/warehouse");

  @TempDir Path directory;

  @Test
  void the_local_examples_parse_and_name_nothing_that_the_stack_does_not_set() {
    Set<String> files = new TreeSet<>(Set.of("source.json"));
    Stream.of(LakeKind.values()).map(LakeKind::sinkFile).forEach(files::add);
    assertThat(files).hasSize(1 + LakeKind.values().length);
    for (String file : files) {
      ConnectorConfig config =
          ConnectorConfig.read(TestPaths.root().resolve("config-examples/local").resolve(file));

      assertThat(config.resolved(ENVIRONMENT).values().values())
          .noneMatch(value -> value.contains("${"));
    }
  }

  @Test
  void the_local_examples_describe_one_and_the_same_pipeline() {
    ConnectorConfig source = example("source.json");
    ConnectorConfig sink = example("sink.json");

    assertThat(sink.value("topics")).isEqualTo(source.value("tula.topic"));
    for (String key : shared(source, sink)) {
      if (key.startsWith("tula.") || key.endsWith("converter") || key.equals("tasks.max")) {
        assertThat(sink.value(key)).as(key).isEqualTo(source.value(key));
      }
    }
    assertThat(sink.name()).isNotEqualTo(source.name());
  }

  @Test
  void sinks_of_other_catalogs_differ_in_the_catalog_alone() {
    Map<String, String> sqlite = withoutCatalog(example("sink.json"));
    for (LakeKind kind : LakeKind.values()) {
      assertThat(withoutCatalog(example(kind.sinkFile()))).as("%s", kind).isEqualTo(sqlite);
    }
  }

  private static Map<String, String> withoutCatalog(ConnectorConfig config) {
    Map<String, String> values = new TreeMap<>(config.values());
    values.keySet().removeIf(key -> key.startsWith("iceberg.catalog."));
    return values;
  }

  @Test
  void overrides_replace_single_keys_and_leave_the_rest() {
    ConnectorConfig sink = example("sink.json");

    ConnectorConfig changed = sink.with(Map.of("tula.layout", "shared"));

    assertThat(changed.value("tula.layout")).isEqualTo("shared");
    assertThat(changed.values().keySet()).isEqualTo(sink.values().keySet());
    assertThat(changed.value("topics")).isEqualTo(sink.value("topics"));
  }

  @Test
  void a_variable_that_is_not_set_is_refused_by_name() {
    assertThatThrownBy(() -> example("sink.json").resolved(Map.of()))
        .isInstanceOf(StackException.class)
        .hasMessageContaining("${env:TULA_LOCAL_");
  }

  @Test
  void a_value_that_is_no_string_is_refused_by_its_key() throws Exception {
    Path file = Files.writeString(directory.resolve("bad.json"), "{\"tasks.max\": 1}");

    assertThatThrownBy(() -> ConnectorConfig.read(file))
        .isInstanceOf(StackException.class)
        .hasMessageContaining("tasks.max");
  }

  @Test
  void what_was_written_reads_back_the_same() {
    Path file = directory.resolve("sink.json");
    ConnectorConfig resolved = example("sink.json").resolved(ENVIRONMENT);

    resolved.write(file);

    assertThat(ConnectorConfig.read(file)).isEqualTo(resolved);
    assertThat(resolved.value("iceberg.catalog.uri")).isEqualTo("jdbc:sqlite:/lake/$catalog.db");
  }

  private static ConnectorConfig example(String file) {
    return ConnectorConfig.read(TestPaths.root().resolve("config-examples/local").resolve(file));
  }

  private static Set<String> shared(ConnectorConfig source, ConnectorConfig sink) {
    return source.values().keySet().stream()
        .filter(sink.values()::containsKey)
        .collect(Collectors.toSet());
  }
}
