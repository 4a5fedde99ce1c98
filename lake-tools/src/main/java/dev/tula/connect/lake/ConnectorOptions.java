package dev.tula.connect.lake;

import dev.tula.connect.lake.config.ConfigFiles;
import dev.tula.connect.lake.config.ConnectRest;
import dev.tula.connect.lake.config.SinkSettings;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** Where the sink connector's configuration is. */
final class ConnectorOptions {
  @ArgGroup(exclusive = true, multiplicity = "1")
  private Source source;

  @Option(
      names = "--worker-config",
      paramLabel = "FILE",
      description =
          "The Connect worker's properties: the brokers, and config providers for placeholders such as"
              + " $${vault:...}. Not needed where the connector sets iceberg.kafka.bootstrap.servers.")
  private Path workerConfig;

  @Option(
      names = "--bootstrap-servers",
      paramLabel = "HOST:PORT,...",
      description = "The brokers; wins over both configurations.")
  private String bootstrapServers;

  /** Exactly one of the two. */
  private static final class Source {
    @Option(
        names = "--config",
        required = true,
        paramLabel = "FILE",
        description =
            "The sink connector's configuration: the JSON that was PUT or POSTed to Connect, or properties.")
    private Path file;

    @ArgGroup(exclusive = false)
    private Rest rest;
  }

  /** A worker and a connector of its. */
  private static final class Rest {
    @Option(
        names = "--connect-url",
        required = true,
        paramLabel = "URL",
        description =
            "A Connect worker's REST URL, to ask it for the configuration. May hold user:password@.")
    private URI url;

    @Option(
        names = "--connector",
        required = true,
        paramLabel = "NAME",
        description = "The sink connector's name there.")
    private String connector;
  }

  /** It as it was PUT to Connect, placeholders and all. */
  Map<String, String> asPut() {
    return source.file != null
        ? ConfigFiles.connector(source.file)
        : new ConnectRest(source.rest.url).config(source.rest.connector);
  }

  /** The worker's properties as they are in the file, if one was named. */
  Optional<Map<String, String>> worker() {
    return Optional.ofNullable(workerConfig).map(ConfigFiles::worker);
  }

  /** Reads, resolves and validates it. */
  SinkSettings settings() {
    return SinkSettings.of(
        asPut(), worker().orElse(Map.of()), Optional.ofNullable(bootstrapServers));
  }
}
