package dev.tula.connect.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tula.connect.sink.IcebergExactlyOnceSinkConnector;
import dev.tula.connect.source.TulaSourceConnector;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.connect.connector.Connector;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every example configuration is accepted by its connector, and a pair fits together. */
class ExampleConfigsTest {
  private static final String TOLERANCE = "errors.tolerance";

  static Stream<Path> examples() throws IOException {
    List<Path> examples = new ArrayList<>();
    for (String module : List.of("tula-source-connector", "iceberg-exactly-once-sink")) {
      Path folder = Docs.root().resolve(module + "/src/main/plugin/etc");
      examples.addAll(Docs.filesBelow(folder, "**.properties"));
    }
    Path configs = Docs.root().resolve("config-examples");
    examples.addAll(Docs.filesBelow(configs, "**.json"));
    return examples.stream();
  }

  @ParameterizedTest
  @MethodSource("examples")
  void example_is_accepted_by_its_connector(Path example) throws IOException {
    Map<String, String> config = read(example);
    // One error of our own, so that nothing is asked over the network.
    config.put(TOLERANCE, "all");

    assertThat(connector(config).validate(config).configValues())
        .filteredOn(value -> !value.name().equals(TOLERANCE))
        .allSatisfy(value -> assertThat(value.errorMessages()).as(value.name()).isEmpty());
  }

  private static Connector connector(Map<String, String> config) {
    return config.get("connector.class").equals(TulaSourceConnector.class.getName())
        ? new TulaSourceConnector()
        : new IcebergExactlyOnceSinkConnector();
  }

  static Stream<List<Path>> pairs() {
    Path root = Docs.root();
    return Stream.of(
        List.of(
            root.resolve("config-examples/local/source.json"),
            root.resolve("config-examples/local/sink.json")),
        List.of(
            root.resolve("tula-source-connector/src/main/plugin/etc/tula-source.properties"),
            root.resolve(
                "iceberg-exactly-once-sink/src/main/plugin/etc/iceberg-exactly-once-sink.properties")));
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void source_and_sink_of_a_pair_fit_together(List<Path> pair) throws IOException {
    Map<String, String> source = read(pair.get(0));
    Map<String, String> sink = read(pair.get(1));

    assertThat(sink).containsEntry("topics", source.get("tula.topic"));
    for (String same :
        Set.of(
            "tula.cluster.id",
            "tula.pipeline",
            "tula.partition.count",
            "tula.include.metadata",
            "tula.full.txn.record",
            "tula.checkpoints.topic",
            "value.converter")) {
      assertThat(sink.get(same)).as(same).isEqualTo(source.get(same));
    }
  }

  private static Map<String, String> read(Path example) throws IOException {
    Map<String, String> config = new HashMap<>();
    try (Reader file = Files.newBufferedReader(example)) {
      if (example.toString().endsWith(".json")) {
        config.putAll(
            new ObjectMapper().readValue(file, new TypeReference<Map<String, String>>() {}));
      } else {
        Properties properties = new Properties();
        properties.load(file);
        properties
            .stringPropertyNames()
            .forEach(key -> config.put(key, properties.getProperty(key)));
      }
    }
    config.replaceAll((key, value) -> value.replaceAll("\\$\\{env:[^}]*}", "127.0.0.1:1"));
    return config;
  }
}
