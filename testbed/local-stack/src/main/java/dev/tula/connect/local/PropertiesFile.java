package dev.tula.connect.local;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;

/** Writes Java properties. */
final class PropertiesFile {
  private PropertiesFile() {}

  static void write(Path file, Map<String, String> entries) {
    Properties properties = new Properties();
    properties.putAll(entries);
    try {
      Files.createDirectories(file.getParent());
      try (Writer out = Files.newBufferedWriter(file)) {
        properties.store(out, null);
      }
    } catch (IOException e) {
      throw new StackException("could not write " + file, e);
    }
  }
}
