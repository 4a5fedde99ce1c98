package dev.tula.connect.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Log4j configurations for the stack's processes. */
public final class Logging {
  private static final String PROPERTY = "log4j2.configurationFile";
  private static final String LAYOUT =
      """
      status = error
      appender.out.name = out
      appender.out.layout.type = PatternLayout
      appender.out.layout.pattern = %d{ISO8601} %-5p %c{1.} [%t] %m%n
      rootLogger.appenderRef.out.ref = out
      # A process that is told to end says how, which log4j's own hook would cut off.
      shutdownHook = disable
      logger.access.name = org.apache.kafka.connect.runtime.rest.RestServer
      logger.access.level = WARN
      """;

  private Logging() {}

  /**
   * Writes a configuration that prints to standard output from {@code level} up, and answers the
   * JVM argument that selects it.
   */
  static String jvmArg(Path directory, String level) {
    Path file =
        write(directory, LAYOUT + "appender.out.type = Console\nrootLogger.level = " + level);
    return "-D" + PROPERTY + "=" + file;
  }

  /**
   * Sends this process's own log to a file, so that standard output stays readable. Has to come
   * before the first logger.
   */
  public static void toFile(Path directory) {
    Path file =
        write(
            directory,
            LAYOUT
                + "appender.out.type = File\nrootLogger.level = INFO\nappender.out.fileName = "
                + directory.resolve("launcher.log"));
    System.setProperty(PROPERTY, file.toString());
  }

  private static Path write(Path directory, String configuration) {
    Path file = directory.resolve("log4j2.properties");
    try {
      Files.createDirectories(directory);
      Files.writeString(file, configuration + "\n");
      return file;
    } catch (IOException e) {
      throw new StackException("could not write " + file, e);
    }
  }
}
