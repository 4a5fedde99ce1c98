package dev.tula.connect.lake.config;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A pipeline's configurations with their placeholders resolved, and not validated: what is wrong
 * with them is for the reader to find.
 *
 * @param sink the sink connector's
 * @param source the source connector's, where it was given
 * @param worker the worker's properties, where they were given, without those of its connections
 *     and providers
 */
public record ResolvedConfigs(
    Map<String, String> sink,
    Optional<Map<String, String>> source,
    Optional<Map<String, String>> worker) {
  /** Copies the maps. */
  public ResolvedConfigs {
    sink = Map.copyOf(sink);
    source = source.map(Map::copyOf);
    worker = worker.map(Map::copyOf);
  }

  /**
   * Resolves, each connector with its own config providers and the worker's.
   *
   * @param sink as it was PUT
   * @param source as it was PUT, if it is known
   * @param worker the worker's properties, if they are known
   * @throws dev.tula.connect.lake.output.ToolException naming the key that can't be resolved, or if
   *     the sink's is another connector's
   */
  public static ResolvedConfigs of(
      Map<String, String> sink,
      Optional<Map<String, String>> source,
      Optional<Map<String, String>> worker) {
    SinkSettings.refuseOtherConnector(sink.get(SinkSettings.CONNECTOR_CLASS));
    Map<String, String> setup = worker.orElse(Map.of());
    return new ResolvedConfigs(
        connector(sink, setup),
        source.map(properties -> connector(properties, setup)),
        worker.map(properties -> new Placeholders(setup).resolve(withoutSecrets(properties))));
  }

  private static Map<String, String> connector(
      Map<String, String> connector, Map<String, String> worker) {
    Map<String, String> setup = new HashMap<>(worker);
    setup.putAll(connector);
    return new Placeholders(setup).resolve(SinkSettings.withoutProviders(connector));
  }

  /** Nobody asks for them here, and their providers may only be reachable from the worker. */
  private static Map<String, String> withoutSecrets(Map<String, String> worker) {
    Map<String, String> rest = SinkSettings.withoutProviders(worker);
    rest.keySet().removeIf(key -> key.contains("ssl.") || key.contains("sasl."));
    return rest;
  }
}
