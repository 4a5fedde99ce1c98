package dev.tula.connect.lake.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tula.connect.lake.output.ToolException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SinkSettingsTest {
  @TempDir private Path folder;

  private static Map<String, String> connector(String... more) {
    Map<String, String> all = new HashMap<>();
    all.put("name", "sink");
    all.put("connector.class", "dev.tula.connect.sink.IcebergExactlyOnceSinkConnector");
    all.put("topics", "ledger");
    all.put("iceberg.namespace", "lake");
    all.put("iceberg.catalog.type", "jdbc");
    all.put("iceberg.catalog.uri", "jdbc:sqlite:x");
    all.put("iceberg.catalog.warehouse", "file:///x");
    all.put("tula.cluster.id", "c");
    all.put("tula.pipeline", "p");
    for (int i = 0; i < more.length; i += 2) {
      all.put(more[i], more[i + 1]);
    }
    return all;
  }

  private static SinkSettings settings(Map<String, String> connector, Map<String, String> worker) {
    return SinkSettings.of(connector, worker, Optional.empty());
  }

  private static void assertRefused(
      Map<String, String> connector, Map<String, String> worker, String... why) {
    assertThatThrownBy(() -> settings(connector, worker))
        .isInstanceOf(ToolException.class)
        .hasMessageContainingAll(why);
  }

  @Test
  void the_brokers_come_from_the_connector_then_the_worker_and_an_option_wins() {
    Map<String, String> worker = Map.of("bootstrap.servers", "worker:1");
    Map<String, String> own = connector("iceberg.kafka.bootstrap.servers", "own:1");

    assertThat(settings(connector(), worker).kafka())
        .containsEntry("bootstrap.servers", "worker:1");
    assertThat(settings(own, worker).kafka()).containsEntry("bootstrap.servers", "own:1");
    assertThat(SinkSettings.of(own, worker, Optional.of("option:1")).kafka())
        .containsEntry("bootstrap.servers", "option:1");
    assertRefused(connector(), Map.of(), "--worker-config", "--bootstrap-servers");
  }

  @Test
  void of_the_worker_only_what_reaches_the_brokers_is_taken() {
    Map<String, String> worker =
        Map.of(
            "bootstrap.servers", "b:1",
            "group.id", "connect",
            "key.converter", "x",
            "security.protocol", "SASL_SSL",
            "sasl.mechanism", "PLAIN",
            "ssl.truststore.location", "/t");

    assertThat(settings(connector(), worker).kafka())
        .containsOnlyKeys(
            "bootstrap.servers", "security.protocol", "sasl.mechanism", "ssl.truststore.location");
  }

  @Test
  void placeholders_are_resolved_with_the_default_providers() throws Exception {
    Path secrets = Files.writeString(folder.resolve("secrets.properties"), "password=geheim");
    Files.writeString(folder.resolve("user"), "alice");
    SinkSettings settings =
        settings(
            connector(
                "iceberg.catalog.jdbc.password", "${file:" + secrets + ":password}",
                "iceberg.catalog.jdbc.user", "${directory:" + folder + ":user}",
                "iceberg.catalog.jdbc.home", "${env:HOME}/x"),
            Map.of("bootstrap.servers", "b:1"));

    assertThat(settings.config().stock().catalogProps())
        .containsEntry("jdbc.password", "geheim")
        .containsEntry("jdbc.user", "alice")
        .containsEntry("jdbc.home", System.getenv("HOME") + "/x");
  }

  @Test
  void providers_and_secrets_of_the_worker_are_used() throws Exception {
    Path secrets = Files.writeString(folder.resolve("secrets.properties"), "password=geheim");
    Map<String, String> worker =
        Map.of(
            "bootstrap.servers", "b:1",
            "config.providers", "vault",
            "config.providers.vault.class",
                "org.apache.kafka.common.config.provider.FileConfigProvider",
            "config.providers.vault.param.allowed.paths", folder.toString(),
            "sasl.jaas.config", "${vault:" + secrets + ":password}");
    SinkSettings settings =
        settings(
            connector("iceberg.catalog.jdbc.password", "${vault:" + secrets + ":password}"),
            worker);

    assertThat(settings.config().stock().catalogProps()).containsEntry("jdbc.password", "geheim");
    assertThat(settings.kafka()).containsEntry("sasl.jaas.config", "geheim");
  }

  @Test
  void providers_may_be_set_up_beside_the_connector() throws Exception {
    Path secrets = Files.writeString(folder.resolve("secrets.properties"), "namespace=lake2");
    SinkSettings settings =
        settings(
            connector(
                "config.providers", "mine",
                "config.providers.mine.class",
                    "org.apache.kafka.common.config.provider.FileConfigProvider",
                "iceberg.namespace", "${mine:" + secrets + ":namespace}"),
            Map.of("bootstrap.servers", "b:1"));

    assertThat(settings.config().namespace()).isEqualTo("lake2");
  }

  @Test
  void a_placeholder_that_cannot_be_resolved_is_refused_by_its_key() throws IOException {
    Path secrets = Files.writeString(folder.resolve("secrets.properties"), "password=geheim");
    Map<String, String> worker = Map.of("bootstrap.servers", "b:1");

    assertRefused(
        connector("iceberg.catalog.jdbc.password", "${vault:a:b}"),
        worker,
        "iceberg.catalog.jdbc.password",
        "config provider \"vault\"",
        "--worker-config");
    assertRefused(
        connector("iceberg.catalog.jdbc.password", "${file:" + secrets + ":pasword}"),
        worker,
        "iceberg.catalog.jdbc.password",
        "which its provider does not know");
    assertRefused(
        connector("iceberg.catalog.jdbc.password", "${file:/nowhere:password}"),
        worker,
        "a config provider failed");
    assertRefused(
        connector(
            "config.providers.vault.class", "org.example.Missing",
            "iceberg.catalog.jdbc.password", "${vault:a:b}"),
        worker,
        "org.example.Missing",
        "can't be set up");
  }

  /** One message names all that is wrong, each thing by its key, in the sink's own words. */
  @Test
  void the_sinks_own_validation_decides() {
    Map<String, String> wrong =
        connector("tula.generation", "0", "tula.layuot", "shared", "errors.tolerance", "all");

    assertRefused(
        wrong,
        Map.of("bootstrap.servers", "b:1"),
        "the sink refuses this configuration",
        "tula.generation: ",
        "tula.layuot: Unknown key tula.layuot; did you mean tula.layout?",
        "errors.tolerance: ");
  }

  @Test
  void another_connectors_configuration_is_refused_by_its_class() {
    assertRefused(
        connector("connector.class", "dev.tula.connect.source.TulaSourceConnector"),
        Map.of("bootstrap.servers", "b:1"),
        "dev.tula.connect.source.TulaSourceConnector",
        "IcebergExactlyOnceSinkConnector");
  }

  @Test
  void the_short_names_that_connect_knows_are_taken() {
    for (String name : new String[] {"IcebergExactlyOnceSinkConnector", "IcebergExactlyOnceSink"}) {
      assertThat(
              settings(connector("connector.class", name), Map.of("bootstrap.servers", "b:1"))
                  .config()
                  .namespace())
          .isEqualTo("lake");
    }
  }
}
