package dev.tula.connect.lake.config;

import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.source.SourceConfig;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;

/** Reads a source connector's configuration, for commands that read the ledger. */
public final class SourceSettings {
  private SourceSettings() {}

  /**
   * Reads and resolves it.
   *
   * @param file the JSON that was PUT or POSTed to Connect, or properties
   * @throws ToolException naming what is wrong with it
   */
  public static SourceConfig of(Path file) {
    Map<String, String> connector = ConfigFiles.connector(file);
    Map<String, String> own = new HashMap<>(connector);
    own.keySet().removeIf(key -> key.startsWith("config.providers"));
    try {
      return new SourceConfig(new Placeholders(connector).resolve(own));
    } catch (ConfigException e) {
      throw ToolException.error(file + " is no configuration of the source: " + e.getMessage(), e);
    }
  }
}
