package dev.tula.connect.lake.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.tula.connect.lake.output.ToolException;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * Reads configuration files as they are, placeholders and all: a connector's JSON as it was PUT or
 * POSTed to Connect, or properties.
 */
public final class ConfigFiles {
  private static final long MAX_BYTES = 4L << 20;

  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private ConfigFiles() {}

  /**
   * A connector's configuration.
   *
   * @throws ToolException naming the file, if it can't be read or is none
   */
  public static Map<String, String> connector(Path file) {
    String text = text(file);
    if (text.stripLeading().startsWith("{")) {
      return connectorJson(text, file.toString());
    }
    return properties(text, file);
  }

  /**
   * A worker's properties.
   *
   * @throws ToolException naming the file, if it can't be read
   */
  public static Map<String, String> worker(Path file) {
    return properties(text(file), file);
  }

  private static String text(Path file) {
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw ToolException.error(
            file + " is larger than " + MAX_BYTES + " bytes, which no configuration is");
      }
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      throw ToolException.error("there is no file " + file, e);
    } catch (CharacterCodingException e) {
      throw ToolException.error(file + " is not UTF-8 text", e);
    } catch (IOException e) {
      throw ToolException.error("can't read " + file + ": " + e.getMessage(), e);
    }
  }

  private static Map<String, String> properties(String text, Path file) {
    Properties properties = new Properties();
    try {
      properties.load(new StringReader(text));
    } catch (IOException | IllegalArgumentException e) {
      throw ToolException.error(file + " is not a properties file: " + e.getMessage(), e);
    }
    Map<String, String> map = new TreeMap<>();
    properties.stringPropertyNames().forEach(key -> map.put(key, properties.getProperty(key)));
    return map;
  }

  /**
   * The configuration in a JSON document: either {@code {"name": …, "config": {…}}} or the bare
   * map.
   *
   * @param origin where the document is from, for messages
   */
  static Map<String, String> connectorJson(String text, String origin) {
    JsonNode document = parse(text, origin);
    JsonNode config = document.path("config").isObject() ? document.get("config") : document;
    Map<String, String> map = new TreeMap<>();
    config
        .properties()
        .forEach(
            entry -> map.put(entry.getKey(), scalar(entry.getKey(), entry.getValue(), origin)));
    if (config != document && document.path("name").isTextual()) {
      map.putIfAbsent("name", document.get("name").textValue());
    }
    return map;
  }

  private static JsonNode parse(String text, String origin) {
    try {
      JsonNode document = JSON.readTree(text);
      if (document == null || !document.isObject()) {
        throw ToolException.error(origin + " is not a JSON object");
      }
      return document;
    } catch (JsonProcessingException e) {
      throw ToolException.error(origin + " is not JSON: " + e.getOriginalMessage(), e);
    }
  }

  private static String scalar(String key, JsonNode value, String origin) {
    if (!value.isValueNode() || value.isNull()) {
      throw ToolException.error(
          origin
              + ": "
              + key
              + " must be a string; a connector's configuration is one flat object of strings");
    }
    return value.asText();
  }
}
