package dev.tula.connect.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Log4j configurations for the stack's processes. */
final class Logging {
  private Logging() {}

  /**
   * Writes a configuration that prints to standard output from {@code level} up, and answers the
   * JVM argument that selects it.
   */
  static String jvmArg(Path directory, String level) {
    String configuration =
        """
        status = error
        appender.out.type = Console
        appender.out.name = out
        appender.out.layout.type = PatternLayout
        appender.out.layout.pattern = %%d{ISO8601} %%-5p %%c{1.} [%%t] %%m%%n
        rootLogger.level = %s
        rootLogger.appenderRef.out.ref = out
        """
            .formatted(level);
    Path file = directory.resolve("log4j2.properties");
    try {
      Files.createDirectories(directory);
      Files.writeString(file, configuration);
    } catch (IOException e) {
      throw new StackException("could not write " + file, e);
    }
    return "-Dlog4j2.configurationFile=" + file;
  }
}
