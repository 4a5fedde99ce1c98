package dev.tula.connect.lake.config;

import dev.tula.connect.lake.output.ToolException;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.ConfigTransformer;
import org.apache.kafka.common.config.provider.ConfigProvider;
import org.apache.kafka.common.config.provider.DirectoryConfigProvider;
import org.apache.kafka.common.config.provider.EnvVarConfigProvider;
import org.apache.kafka.common.config.provider.FileConfigProvider;
import org.apache.kafka.common.utils.Utils;

/**
 * Resolves placeholders such as {@code ${file:/run/secrets/db:password}} as a worker does, with
 * Kafka's config providers. Providers are set up with {@code config.providers} and its family;
 * {@code file}, {@code env} and {@code directory} are there without.
 */
final class Placeholders {
  private static final String PROVIDERS = "config.providers";

  private static final Map<String, String> DEFAULTS =
      Map.of(
          "file", FileConfigProvider.class.getName(),
          "env", EnvVarConfigProvider.class.getName(),
          "directory", DirectoryConfigProvider.class.getName());

  private final Map<String, String> setup;

  /**
   * @param setup properties that may have {@code config.providers} among them
   */
  Placeholders(Map<String, String> setup) {
    this.setup = Map.copyOf(setup);
  }

  /**
   * The properties with every placeholder resolved.
   *
   * @throws ToolException naming the key, if one can't be
   */
  Map<String, String> resolve(Map<String, String> properties) {
    Map<String, ConfigProvider> providers = providers(properties);
    try {
      Map<String, String> resolved = new ConfigTransformer(providers).transform(properties).data();
      resolved.forEach(
          (key, value) -> {
            // What a provider does not know, the transformer leaves as it stands.
            if (value != null && value.equals(properties.get(key))) {
              refuseUnresolved(key, value);
            }
          });
      return new TreeMap<>(resolved);
    } catch (ConfigException e) {
      throw ToolException.error("a config provider failed: " + e.getMessage(), e);
    } finally {
      providers.values().forEach(provider -> Utils.closeQuietly(provider, "config provider"));
    }
  }

  private static void refuseUnresolved(String key, String value) {
    Matcher matcher = ConfigTransformer.DEFAULT_PATTERN.matcher(value);
    if (matcher.find()) {
      throw ToolException.error(
          "the value of "
              + key
              + " holds "
              + matcher.group()
              + ", which its provider does not know here, though it may on the worker");
    }
  }

  private Map<String, ConfigProvider> providers(Map<String, String> properties) {
    Map<String, ConfigProvider> providers = new HashMap<>();
    properties.forEach(
        (key, value) -> {
          Matcher matcher = ConfigTransformer.DEFAULT_PATTERN.matcher(value);
          while (matcher.find()) {
            providers.computeIfAbsent(matcher.group(1), name -> provider(name, key));
          }
        });
    return providers;
  }

  private ConfigProvider provider(String name, String usedBy) {
    String className = setup.getOrDefault(PROVIDERS + "." + name + ".class", DEFAULTS.get(name));
    if (className == null) {
      throw ToolException.error(
          "the value of "
              + usedBy
              + " refers to config provider \""
              + name
              + "\", which is not set up here: name the worker's properties with --worker-config. Known are "
              + new TreeSet<>(DEFAULTS.keySet()));
    }
    try {
      ConfigProvider provider = Utils.newInstance(className, ConfigProvider.class);
      provider.configure(parameters(name));
      return provider;
    } catch (ClassNotFoundException | KafkaException e) {
      throw ToolException.error(
          "config provider \""
              + name
              + "\" ("
              + className
              + "), which the value of "
              + usedBy
              + " refers to, can't be set up: "
              + e.getMessage()
              + ". Put its jar into tula-lake's lib folder",
          e);
    }
  }

  private Map<String, String> parameters(String name) {
    String prefix = PROVIDERS + "." + name + ".param.";
    Map<String, String> parameters = new HashMap<>();
    setup.forEach(
        (key, value) -> {
          if (key.startsWith(prefix)) {
            parameters.put(key.substring(prefix.length()), value);
          }
        });
    return parameters;
  }
}
