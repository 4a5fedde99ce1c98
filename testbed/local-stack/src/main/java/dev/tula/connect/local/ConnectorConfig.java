package dev.tula.connect.local;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A connector's configuration, as a file in {@code config-examples} holds it: one JSON object of
 * strings, what {@code PUT /connectors/<name>/config} takes.
 *
 * @param values by key, in the order of the file
 */
public record ConnectorConfig(Map<String, String> values) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern ENVIRONMENT = Pattern.compile("\\$\\{env:([A-Z0-9_]+)}");

  /**
   * Reads a file.
   *
   * @throws StackException if it is not such an object
   */
  public static ConnectorConfig read(Path file) {
    try {
      JsonNode document = JSON.readTree(Files.readString(file));
      Map<String, String> values = new LinkedHashMap<>();
      for (Map.Entry<String, JsonNode> field : document.properties()) {
        if (!field.getValue().isTextual()) {
          throw new StackException(file + ": the value of " + field.getKey() + " is no string");
        }
        values.put(field.getKey(), field.getValue().textValue());
      }
      return new ConnectorConfig(values);
    } catch (IOException e) {
      throw new StackException(file + " is not one JSON object of strings: " + e.getMessage(), e);
    }
  }

  /** The connector's name. */
  public String name() {
    return value("name");
  }

  /**
   * The value of a key.
   *
   * @throws StackException if it is not there
   */
  public String value(String key) {
    String value = values.get(key);
    if (value == null) {
      throw new StackException("the connector configuration lacks " + key);
    }
    return value;
  }

  /** The same with other values for some keys. */
  public ConnectorConfig with(Map<String, String> overrides) {
    Map<String, String> merged = new LinkedHashMap<>(values);
    merged.putAll(overrides);
    return new ConnectorConfig(merged);
  }

  /** The same with each {@code ${env:NAME}} replaced, as a worker's config provider does it. */
  public ConnectorConfig resolved(Map<String, String> environment) {
    Map<String, String> resolved = new LinkedHashMap<>();
    values.forEach((key, value) -> resolved.put(key, resolve(value, environment)));
    return new ConnectorConfig(resolved);
  }

  private static String resolve(String value, Map<String, String> environment) {
    return ENVIRONMENT
        .matcher(value)
        .replaceAll(
            match -> {
              String found = environment.get(match.group(1));
              if (found == null) {
                throw new StackException(match.group() + " is not set by the local stack");
              }
              return Matcher.quoteReplacement(found);
            });
  }

  /** Writes it as the same kind of file. */
  public void write(Path file) {
    try {
      Files.createDirectories(file.getParent());
      JSON.writerWithDefaultPrettyPrinter().writeValue(file.toFile(), values);
    } catch (IOException e) {
      throw new StackException("could not write " + file, e);
    }
  }
}
