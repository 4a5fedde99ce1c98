package dev.tula.connect.lake;

import dev.tula.connect.lake.config.ConfigFiles;
import dev.tula.connect.lake.config.SourceSettings;
import dev.tula.connect.lake.output.ExitCode;
import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.lake.state.LakeSession;
import dev.tula.connect.model.StreamIdentity;
import dev.tula.connect.source.SourceConfig;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Option;

/** {@code --source-config}: how to reach the ledger. */
final class SourceOptions {
  @Option(
      names = "--source-config",
      required = true,
      paramLabel = "FILE",
      description = "The source connector's configuration: how to reach the ledger.")
  private Path file;

  /** The configuration as it was PUT to Connect, placeholders and all. */
  Map<String, String> asPut() {
    return ConfigFiles.connector(file);
  }

  /**
   * Reads it.
   *
   * @param wanted which configuration is meant, to be said if it is another stream's than the lake
   * @throws ToolException if it can't be used, or with {@link ExitCode#IDENTITY} is another
   *     stream's
   */
  SourceConfig read(LakeSession session, String wanted) {
    SourceConfig source = SourceSettings.of(file);
    StreamIdentity lake = session.identity().stream(0);
    if (!source.identity(0).equals(lake)) {
      throw new ToolException(
          ExitCode.IDENTITY,
          "--source-config describes "
              + source.identity(0)
              + ", and the lake is "
              + lake
              + ". Name "
              + wanted,
          null);
    }
    return source;
  }
}
