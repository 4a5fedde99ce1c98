package dev.tula.connect.docs;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;

/** The files of config-examples. */
final class Examples {
  static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private static final Pattern PLACEHOLDER =
      Pattern.compile("\\$\\{(\\w+):(?:([^}]*?):)?([^}:]+)}");

  private Examples() {}

  static Path root() {
    return Docs.root().resolve("config-examples");
  }

  static Path file(String name) {
    return root().resolve(name);
  }

  /** A connector's configuration, or any other flat object of strings. */
  static Map<String, String> json(Path file) throws IOException {
    return JSON.readValue(Docs.read(file), new TypeReference<TreeMap<String, String>>() {});
  }

  static Map<String, String> properties(Path file) throws IOException {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    }
    Map<String, String> map = new TreeMap<>();
    properties.stringPropertyNames().forEach(key -> map.put(key, properties.getProperty(key)));
    return map;
  }

  /** The documents of a YAML file, in which no key may stand twice. */
  static List<Map<String, Object>> yaml(String name) throws IOException {
    LoaderOptions strict = new LoaderOptions();
    strict.setAllowDuplicateKeys(false);
    List<Map<String, Object>> documents = new ArrayList<>();
    for (Object document : new Yaml(strict).loadAll(Docs.read(file(name)))) {
      documents.add(map(document));
    }
    return documents;
  }

  /** What is at the end of a path of keys and list indexes. */
  static Object at(Object node, Object... path) {
    Object found = node;
    for (Object step : path) {
      found =
          step instanceof Integer index
              ? list(found).get(index)
              : Optional.ofNullable(map(found).get(step))
                  .orElseThrow(() -> new AssertionError("there is no " + step));
    }
    return found;
  }

  @SuppressWarnings("unchecked") // Keys of all that is read here are strings.
  static Map<String, Object> map(Object node) {
    return (Map<String, Object>) node;
  }

  @SuppressWarnings("unchecked")
  static List<Object> list(Object node) {
    return (List<Object>) node;
  }

  /** The configuration in a Strimzi resource, as Strimzi hands it on to Connect. */
  static Map<String, String> strimziConnector(Map<String, Object> resource) {
    Map<String, String> config = new TreeMap<>();
    map(at(resource, "spec", "config")).forEach((key, value) -> config.put(key, value.toString()));
    config.put("name", at(resource, "metadata", "name").toString());
    config.put("connector.class", at(resource, "spec", "class").toString());
    config.put("tasks.max", at(resource, "spec", "tasksMax").toString());
    return config;
  }

  /**
   * Replaces placeholders: {@code ${env:…}} by an address, {@code ${file:…:key}} by the value that
   * connect/secrets.properties has for it.
   */
  static Map<String, String> resolved(Map<String, String> config) throws IOException {
    Map<String, String> secrets = properties(file("connect/secrets.properties"));
    Map<String, String> resolved = new LinkedHashMap<>();
    config.forEach(
        (key, value) ->
            resolved.put(
                key,
                PLACEHOLDER
                    .matcher(value)
                    .replaceAll(
                        found -> Matcher.quoteReplacement(resolve(found.group(), secrets)))));
    return resolved;
  }

  private static String resolve(String placeholder, Map<String, String> secrets) {
    Matcher parts = PLACEHOLDER.matcher(placeholder);
    if (parts.matches() && parts.group(1).equals("env")) {
      return "127.0.0.1:1";
    }
    return Optional.ofNullable(secrets.get(parts.group(3)))
        .orElseThrow(() -> new AssertionError("no secret for " + placeholder));
  }
}
