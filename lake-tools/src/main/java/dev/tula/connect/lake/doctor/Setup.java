package dev.tula.connect.lake.doctor;

import dev.tula.connect.lake.config.ResolvedConfigs;
import dev.tula.connect.sink.SinkConfig;
import dev.tula.connect.source.SourceConfig;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.kafka.common.config.ConfigException;

/** What the checks look at: a pipeline's configurations, resolved. Immutable. */
public final class Setup {
  /** What the catalog's properties begin with in the sink's configuration. */
  static final String CATALOG_PREFIX = "iceberg.catalog.";

  /** What the properties of tables that are created begin with. */
  static final String CREATE_PREFIX = "iceberg.tables.auto-create-props.";

  private final ResolvedConfigs configs;
  private final CleanupPlan cleanup;
  private final Map<String, String> catalog;
  private final CatalogKind kind;
  private final Optional<SinkConfig> sinkConfig;
  private final Optional<SourceConfig> sourceConfig;

  /**
   * @param configs the configurations
   * @param cleanup how the cleanup is scheduled
   */
  public Setup(ResolvedConfigs configs, CleanupPlan cleanup) {
    this.configs = Objects.requireNonNull(configs, "configs");
    this.cleanup = Objects.requireNonNull(cleanup, "cleanup");
    this.catalog = withPrefix(configs.sink(), CATALOG_PREFIX);
    this.kind = CatalogKind.of(catalog);
    this.sinkConfig = sinkConfig(configs.sink());
    this.sourceConfig = configs.source().flatMap(Setup::sourceConfig);
  }

  private static Optional<SinkConfig> sinkConfig(Map<String, String> properties) {
    try {
      return Optional.of(new SinkConfig(properties));
    } catch (ConfigException e) {
      // The sink's own validation says what is wrong, on every key at once.
      return Optional.empty();
    }
  }

  private static Optional<SourceConfig> sourceConfig(Map<String, String> properties) {
    try {
      return Optional.of(new SourceConfig(properties));
    } catch (ConfigException e) {
      // The source's own validation says what is wrong, on every key at once.
      return Optional.empty();
    }
  }

  private static Map<String, String> withPrefix(Map<String, String> properties, String prefix) {
    Map<String, String> rest = new HashMap<>();
    properties.forEach(
        (key, value) -> {
          if (key.startsWith(prefix)) {
            rest.put(key.substring(prefix.length()), value);
          }
        });
    return Map.copyOf(rest);
  }

  /** The kind of the sink's catalog. */
  public CatalogKind kind() {
    return kind;
  }

  Map<String, String> sink() {
    return configs.sink();
  }

  /** The source's properties, where they were given. */
  Optional<Map<String, String>> source() {
    return configs.source();
  }

  /** The worker's properties, where they were given. */
  Optional<Map<String, String>> worker() {
    return configs.worker();
  }

  CleanupPlan cleanup() {
    return cleanup;
  }

  /** The sink's configuration; absent where one of its keys is refused. */
  Optional<SinkConfig> sinkConfig() {
    return sinkConfig;
  }

  /** The source's configuration; absent where it was not given, or one of its keys is refused. */
  Optional<SourceConfig> sourceConfig() {
    return sourceConfig;
  }

  /** A property of the catalog, by Iceberg's own name; absent or blank is absent. */
  Optional<String> catalog(String property) {
    return present(catalog.get(property));
  }

  /** Properties of the catalog, by Iceberg's own names. */
  Map<String, String> catalog() {
    return catalog;
  }

  /** A property that tables are created with. */
  Optional<String> create(String property) {
    return present(configs.sink().get(CREATE_PREFIX + property));
  }

  /** A key of the sink's, or none. */
  Optional<String> sink(String key) {
    return present(configs.sink().get(key));
  }

  /** A key of the source's, or none, also where there is no source. */
  Optional<String> source(String key) {
    return configs.source().flatMap(properties -> present(properties.get(key)));
  }

  /** A key of the worker's, or none, also where there is no worker. */
  Optional<String> worker(String key) {
    return configs.worker().flatMap(properties -> present(properties.get(key)));
  }

  private static Optional<String> present(String value) {
    return Optional.ofNullable(value).map(String::trim).filter(text -> !text.isEmpty());
  }
}
