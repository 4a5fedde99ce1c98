package dev.tula.connect.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.StreamSupport;

/** Reads the fixed vectors under {@code golden/}. */
public final class GoldenFile {
  private GoldenFile() {}

  /** The document in a file. */
  public static JsonNode read(String name) {
    try (InputStream in = GoldenFile.class.getResourceAsStream("/golden/" + name)) {
      return new ObjectMapper().readTree(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** An array's elements. */
  public static List<JsonNode> elements(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false).toList();
  }
}
