package dev.tula.connect.lake.config;

import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.sink.IcebergExactlyOnceSinkConnector;
import dev.tula.connect.sink.SinkConfig;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.config.ConfigValue;

/**
 * A sink connector's configuration, validated as the connector itself does it, and what Kafka
 * clients need beside it.
 *
 * @param config the connector's configuration, placeholders resolved
 * @param kafka properties for Kafka clients
 */
public record SinkSettings(SinkConfig config, Map<String, String> kafka) {
  static final String CONNECTOR_CLASS = "connector.class";
  private static final String BOOTSTRAP_SERVERS = "bootstrap.servers";
  private static final List<String> CLIENT_PREFIXES = List.of("security.", "sasl.", "ssl.");
  private static final Set<String> CLIENT_KEYS = Set.of(BOOTSTRAP_SERVERS, "client.dns.lookup");

  /** Copies the map. */
  public SinkSettings {
    kafka = Map.copyOf(kafka);
  }

  /**
   * Resolves and validates.
   *
   * @param connector the connector's configuration as it was PUT; it may set up config providers
   * @param worker the worker's properties, or none
   * @param bootstrapServers wins over what either says
   * @throws ToolException naming every key at fault
   */
  public static SinkSettings of(
      Map<String, String> connector,
      Map<String, String> worker,
      Optional<String> bootstrapServers) {
    Map<String, String> setup = new HashMap<>(worker);
    setup.putAll(connector);
    Placeholders placeholders = new Placeholders(setup);
    refuseOtherConnector(connector.get(CONNECTOR_CLASS));
    Map<String, String> resolved = placeholders.resolve(withoutProviders(connector));
    refuseInvalid(resolved);
    SinkConfig config = new SinkConfig(resolved);
    Map<String, String> kafka = placeholders.resolve(clientProperties(worker));
    kafka.putAll(config.stock().kafkaProps());
    bootstrapServers.ifPresent(servers -> kafka.put(BOOTSTRAP_SERVERS, servers));
    if (!kafka.containsKey(BOOTSTRAP_SERVERS)) {
      throw ToolException.error(
          "no broker is named: the connector takes them from its worker, so name the worker's properties with"
              + " --worker-config, or the brokers with --bootstrap-servers");
    }
    return new SinkSettings(config, kafka);
  }

  static Map<String, String> withoutProviders(Map<String, String> connector) {
    Map<String, String> own = new HashMap<>(connector);
    own.keySet().removeIf(key -> key.startsWith("config.providers"));
    return own;
  }

  static void refuseOtherConnector(String className) {
    Class<?> ours = IcebergExactlyOnceSinkConnector.class;
    Set<String> names =
        Set.of(ours.getName(), ours.getSimpleName(), ours.getSimpleName().replace("Connector", ""));
    if (className != null && !names.contains(className)) {
      throw ToolException.error(
          "this is the configuration of a "
              + className
              + "; tula-lake reads that of the sink, whose connector.class is "
              + ours.getName());
    }
  }

  private static void refuseInvalid(Map<String, String> properties) {
    List<String> errors = new ArrayList<>();
    for (ConfigValue value :
        new IcebergExactlyOnceSinkConnector().validate(properties).configValues()) {
      value.errorMessages().forEach(message -> errors.add(value.name() + ": " + message));
    }
    if (!errors.isEmpty()) {
      throw ToolException.error(
          "the sink refuses this configuration:\n  " + String.join("\n  ", errors));
    }
  }

  private static Map<String, String> clientProperties(Map<String, String> worker) {
    Map<String, String> client = new HashMap<>();
    worker.forEach(
        (key, value) -> {
          if (CLIENT_KEYS.contains(key) || CLIENT_PREFIXES.stream().anyMatch(key::startsWith)) {
            client.put(key, value);
          }
        });
    return client;
  }
}
