package dev.tula.connect.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tula.connect.lake.config.SinkSettings;
import dev.tula.connect.sink.IcebergExactlyOnceSinkConnector;
import dev.tula.connect.source.TulaSourceConnector;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.aws.AwsClientProperties;
import org.apache.iceberg.aws.AwsProperties;
import org.apache.iceberg.aws.s3.S3FileIOProperties;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.apache.iceberg.rest.RESTCatalogProperties;
import org.apache.iceberg.rest.auth.AuthManager;
import org.apache.iceberg.rest.auth.AuthManagers;
import org.apache.iceberg.rest.auth.AuthProperties;
import org.apache.iceberg.rest.auth.OAuth2Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.provider.EnvVarConfigProvider;
import org.apache.kafka.common.config.provider.FileConfigProvider;
import org.apache.kafka.connect.connector.Connector;
import org.apache.kafka.connect.runtime.SinkConnectorConfig;
import org.apache.kafka.connect.runtime.SourceConnectorConfig;
import org.apache.kafka.connect.runtime.distributed.DistributedConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every example configuration is accepted by what reads it, and those of a pair fit together. */
class ExampleConfigsTest {
  private static final String TOLERANCE = "errors.tolerance";
  private static final String CATALOG = "iceberg.catalog.";

  /** Kafka Connect's and the connectors' own keys are in ConfigDefs; these are in nobody's. */
  private static final Set<String> CONVERTER_FAMILIES =
      Set.of("key.converter.", "value.converter.");

  private static final Map<String, Class<?>> PROVIDERS =
      Map.of("file", FileConfigProvider.class, "env", EnvVarConfigProvider.class);

  /** What Strimzi's documentation says it sets by itself, and takes from nobody. */
  private static final List<String> STRIMZI_OWNS =
      List.of(
          "ssl.", "sasl.", "security.", "listeners", "plugin.path", "rest.", "bootstrap.servers");

  /** An example, by its file's name or its resource's. */
  record Example(String name, Map<String, String> config) {
    boolean isSource() {
      return config.get("connector.class").equals(TulaSourceConnector.class.getName());
    }

    Connector connector() {
      return isSource() ? new TulaSourceConnector() : new IcebergExactlyOnceSinkConnector();
    }

    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Example> examples() throws IOException {
    List<Example> examples = new ArrayList<>();
    for (String module : List.of("tula-source-connector", "iceberg-exactly-once-sink")) {
      Path folder = Docs.root().resolve(module + "/src/main/plugin/etc");
      for (Path file : Docs.filesBelow(folder, "**.properties")) {
        examples.add(example(file, Examples.properties(file)));
      }
    }
    for (String folder : List.of("local", "connectors")) {
      for (Path file : Docs.filesBelow(Examples.file(folder), "**.json")) {
        examples.add(example(file, Examples.json(file)));
      }
    }
    examples.addAll(strimzi());
    return examples.stream();
  }

  private static Example example(Path file, Map<String, String> config) {
    return new Example(Docs.root().relativize(file).toString(), config);
  }

  private static List<Example> strimzi() throws IOException {
    return Examples.yaml("strimzi/kafka-connectors.yaml").stream()
        .map(Examples::strimziConnector)
        .map(config -> new Example("strimzi " + config.get("name"), config))
        .toList();
  }

  private static Stream<Example> sinksByCatalog() throws IOException {
    return examples().filter(example -> example.name().contains("connectors/sink-"));
  }

  @ParameterizedTest
  @MethodSource("examples")
  void example_is_accepted_by_its_connector(Example example) throws IOException {
    Map<String, String> config = new HashMap<>(Examples.resolved(example.config()));
    // One error of our own, so that nothing is asked over the network.
    config.put(TOLERANCE, "all");

    assertThat(example.connector().validate(config).configValues())
        .filteredOn(value -> !value.name().equals(TOLERANCE))
        .allSatisfy(value -> assertThat(value.errorMessages()).as(value.name()).isEmpty());
  }

  @ParameterizedTest
  @MethodSource("examples")
  void every_key_is_one_that_the_connector_or_connect_or_a_kafka_client_knows(Example example) {
    Set<String> known = new TreeSet<>(example.connector().config().names());
    known.addAll(
        example.isSource()
            ? SourceConnectorConfig.configDef().names()
            : SinkConnectorConfig.configDef().names());
    ProducerConfig.configNames().forEach(name -> known.add("producer.override." + name));
    ConsumerConfig.configNames().forEach(name -> known.add("consumer.override." + name));

    assertThat(example.config().keySet())
        // Those of the sink that its ConfigDef does not list, its validation knows.
        .filteredOn(key -> !key.startsWith("tula.") && !key.startsWith("iceberg."))
        .filteredOn(key -> CONVERTER_FAMILIES.stream().noneMatch(key::startsWith))
        .allMatch(known::contains);
  }

  static Stream<List<Example>> pairs() throws IOException {
    Map<String, Example> byName = new HashMap<>();
    examples().forEach(example -> byName.put(example.name(), example));
    List<List<Example>> pairs = new ArrayList<>();
    pairs.add(
        List.of(
            byName.get("config-examples/local/source.json"),
            byName.get("config-examples/local/sink.json")));
    pairs.add(
        List.of(
            byName.get("tula-source-connector/src/main/plugin/etc/tula-source.properties"),
            byName.get(
                "iceberg-exactly-once-sink/src/main/plugin/etc/iceberg-exactly-once-sink.properties")));
    pairs.add(List.of(byName.get("strimzi tula-source"), byName.get("strimzi tula-sink")));
    sinksByCatalog()
        .forEach(
            sink -> pairs.add(List.of(byName.get("config-examples/connectors/source.json"), sink)));
    return pairs.stream();
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void source_and_sink_of_a_pair_fit_together(List<Example> pair) {
    Map<String, String> source = pair.get(0).config();
    Map<String, String> sink = pair.get(1).config();

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

  @Test
  void sinks_for_different_catalogs_differ_in_the_catalog_alone() throws IOException {
    Map<Map<String, String>, List<String>> byRest = new HashMap<>();
    sinksByCatalog()
        .forEach(
            sink -> {
              Map<String, String> rest = new TreeMap<>(sink.config());
              rest.keySet().removeIf(key -> key.startsWith(CATALOG));
              byRest.computeIfAbsent(rest, any -> new ArrayList<>()).add(sink.name());
            });
    assertThat(byRest).hasSize(1);
    assertThat(byRest.values().iterator().next()).hasSize(6);
  }

  static Stream<Example> sinks() throws IOException {
    return examples().filter(example -> !example.isSource());
  }

  /** The connector hands these on, whatever they are, so that only their reader knows a mistake. */
  @ParameterizedTest
  @MethodSource("sinks")
  void every_property_of_the_catalog_is_one_that_iceberg_reads(Example example)
      throws IllegalAccessException {
    // CatalogUtil's, the JDBC driver's under a prefix, and one of a class that is not public.
    Set<String> known =
        new TreeSet<>(Set.of("type", "jdbc.user", "jdbc.password", "jdbc.schema-version"));
    for (Class<?> reader :
        List.of(
            CatalogProperties.class,
            RESTCatalogProperties.class,
            AuthProperties.class,
            AuthManagers.class,
            OAuth2Properties.class,
            JdbcCatalog.class,
            S3FileIOProperties.class,
            AwsClientProperties.class,
            AwsProperties.class)) {
      known.addAll(constants(reader));
    }
    assertThat(example.config().keySet())
        .filteredOn(key -> key.startsWith(CATALOG))
        .map(key -> key.substring(CATALOG.length()))
        .filteredOn(key -> !key.startsWith("header."))
        .allMatch(known::contains);
  }

  private static Set<String> constants(Class<?> type) throws IllegalAccessException {
    Set<String> values = new TreeSet<>();
    for (Field field : type.getDeclaredFields()) {
      if (Modifier.isStatic(field.getModifiers())
          && field.getType() == String.class
          && field.trySetAccessible()) {
        values.add((String) field.get(null));
      }
    }
    return values;
  }

  @ParameterizedTest
  @MethodSource("sinks")
  void classes_that_a_catalog_names_are_in_the_sinks_zip(Example example)
      throws ClassNotFoundException {
    String io = example.config().get(CATALOG + "io-impl");
    if (io != null) {
      assertThat(FileIO.class).isAssignableFrom(Class.forName(io));
    }
    assertThat(example.config().get(CATALOG + "type")).isIn("rest", "jdbc", "glue");
    Map<String, String> authManagers =
        Map.of(
            AuthProperties.AUTH_TYPE_OAUTH2, AuthProperties.AUTH_MANAGER_IMPL_OAUTH2,
            AuthProperties.AUTH_TYPE_GOOGLE, AuthProperties.AUTH_MANAGER_IMPL_GOOGLE);
    String auth = example.config().get(CATALOG + AuthProperties.AUTH_TYPE);
    if (auth != null) {
      assertThat(authManagers).containsKey(auth);
      assertThat(AuthManager.class).isAssignableFrom(Class.forName(authManagers.get(auth)));
    }
  }

  @Test
  void worker_properties_are_those_of_a_distributed_worker() throws IOException {
    Map<String, String> worker = Examples.properties(Examples.file("connect/worker.properties"));
    assertThat(worker)
        .containsEntry("exactly.once.source.support", "enabled")
        .containsEntry("plugin.discovery", "service_load");
    assertIsAccepted(worker);
  }

  @Test
  void strimzi_worker_is_configured_as_the_plain_one() throws IOException {
    Map<String, Object> spec =
        Examples.map(Examples.at(Examples.yaml("strimzi/kafka-connect.yaml").get(0), "spec"));
    Map<String, String> config = new TreeMap<>();
    Examples.map(spec.get("config")).forEach((key, value) -> config.put(key, value.toString()));
    assertThat(config.keySet()).noneMatch(key -> STRIMZI_OWNS.stream().anyMatch(key::startsWith));

    Map<String, String> plain = Examples.properties(Examples.file("connect/worker.properties"));
    for (String same :
        Set.of(
            "exactly.once.source.support",
            "plugin.discovery",
            "connector.client.config.override.policy",
            "scheduled.rebalance.max.delay.ms")) {
      assertThat(config.get(same)).as(same).isEqualTo(plain.get(same));
    }
    config.put("bootstrap.servers", spec.get("bootstrapServers").toString());
    config.put("group.id", spec.get("groupId").toString());
    config.put("config.storage.topic", spec.get("configStorageTopic").toString());
    config.put("offset.storage.topic", spec.get("offsetStorageTopic").toString());
    config.put("status.storage.topic", spec.get("statusStorageTopic").toString());
    assertIsAccepted(config);
  }

  private static void assertIsAccepted(Map<String, String> worker) throws IOException {
    Map<String, String> resolved = new TreeMap<>(Examples.resolved(worker));
    // Their files are not here; the names of their parameters are theirs to check.
    resolved.keySet().removeIf(key -> key.startsWith("config.providers"));
    DistributedConfig config = new DistributedConfig(resolved);
    assertThat(config.values().keySet()).containsAll(resolved.keySet());
    assertThat(config.exactlyOnceSourceEnabled()).isTrue();
  }

  @Test
  void connectors_use_config_providers_that_their_worker_sets_up() throws IOException {
    assertProviders(
        Examples.properties(Examples.file("connect/worker.properties")),
        examples().filter(example -> example.name().contains("/connectors/")).toList());
    Map<String, String> strimzi = new TreeMap<>();
    Examples.map(Examples.at(Examples.yaml("strimzi/kafka-connect.yaml").get(0), "spec", "config"))
        .forEach((key, value) -> strimzi.put(key, value.toString()));
    assertProviders(strimzi, strimzi());
  }

  private static void assertProviders(Map<String, String> worker, List<Example> connectors) {
    Set<String> keys = new TreeSet<>(Set.of("config.providers"));
    for (String provider : worker.get("config.providers").split(",")) {
      String prefix = "config.providers." + provider + ".";
      assertThat(worker).containsEntry(prefix + "class", PROVIDERS.get(provider).getName());
      keys.add(prefix + "class");
      keys.add(prefix + "param." + FileConfigProvider.ALLOWED_PATHS_CONFIG);
      keys.add(prefix + "param." + EnvVarConfigProvider.ALLOWLIST_PATTERN_CONFIG);
    }
    assertThat(worker.keySet())
        .filteredOn(key -> key.startsWith("config.providers"))
        .isSubsetOf(keys);
    String secrets = worker.get("config.providers.file.param.allowed.paths");
    for (Example connector : connectors) {
      assertThat(connector.config().values())
          .filteredOn(value -> value.contains("${"))
          .allMatch(value -> value.startsWith("${file:" + secrets + ":"));
    }
  }

  @ParameterizedTest
  @MethodSource("sinksByCatalog")
  void tula_lake_reads_the_sink_and_the_worker(Example sink) throws IOException {
    SinkSettings settings =
        SinkSettings.of(
            Examples.resolved(sink.config()),
            Examples.properties(Examples.file("connect/worker.properties")),
            Optional.empty());
    assertThat(settings.config().identity().pipeline()).isEqualTo("ledger");
    assertThat(settings.kafka()).containsKey("bootstrap.servers");
  }

  @Test
  void strimzi_connectors_are_those_of_the_json_files() throws IOException {
    for (Example strimzi : strimzi()) {
      String file = strimzi.isSource() ? "source.json" : "sink-s3-tables.json";
      Map<String, String> plain = Examples.json(Examples.file("connectors/" + file));
      assertThat(here(strimzi.config())).isEqualTo(here(plain));
    }
  }

  /** Without what is elsewhere on Kubernetes: brokers, and files. */
  private static Map<String, String> here(Map<String, String> config) {
    Map<String, String> here = new TreeMap<>(config);
    here.keySet().removeIf(key -> key.endsWith("bootstrap.servers"));
    here.replaceAll(
        (key, value) ->
            value
                .replace("/mnt/tula-secrets/", "/etc/connect/")
                .replace("/mnt/tula-ledger-tls/", "/etc/connect/"));
    return here;
  }

  /** C7: the newest snapshot of ours is a witness, and may be none that a branch names. */
  @Test
  void biglake_shows_every_snapshot_and_names_the_project_that_pays() throws IOException {
    assertThat(Examples.json(Examples.file("connectors/sink-biglake.json")))
        .containsEntry("iceberg.catalog.snapshot-loading-mode", "all")
        .containsKey("iceberg.catalog.header.x-goog-user-project")
        .containsEntry("iceberg.catalog.io-impl", "org.apache.iceberg.gcp.gcs.GCSFileIO");
  }

  @Test
  void s3_tables_requests_are_signed_for_its_own_region() throws IOException {
    Map<String, String> config = Examples.json(Examples.file("connectors/sink-s3-tables.json"));
    String region = config.get("iceberg.catalog.client.region");
    assertThat(config)
        .containsEntry("iceberg.catalog.rest.sigv4-enabled", "true")
        .containsEntry("iceberg.catalog.rest.signing-name", "s3tables")
        .containsEntry("iceberg.catalog.rest.signing-region", region);
    assertThat(config.get("iceberg.catalog.uri"))
        .isEqualTo("https://s3tables." + region + ".amazonaws.com/iceberg");
    assertThat(config.get("iceberg.catalog.warehouse"))
        .startsWith("arn:aws:s3tables:" + region + ":");
    assertThat(config.get("iceberg.namespace")).doesNotContain(".");
  }
}
