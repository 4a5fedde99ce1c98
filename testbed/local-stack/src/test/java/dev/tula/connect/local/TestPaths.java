package dev.tula.connect.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where the build left what these tests run. */
public final class TestPaths {
  private TestPaths() {}

  /** The project's root directory. */
  public static Path root() {
    Path directory = Path.of("").toAbsolutePath();
    while (!Files.exists(directory.resolve("config-examples"))) {
      directory = directory.getParent();
    }
    return directory;
  }

  /** A worker of the newest Kafka Connect. */
  static String workerClassPath() throws IOException {
    return classPath("connect-worker");
  }

  /** A worker of the oldest Kafka Connect that the plugins run on. */
  static String oldestWorkerClassPath() throws IOException {
    return classPath("connect-worker-3.9");
  }

  private static String classPath(String module) throws IOException {
    return Files.readString(root().resolve("testbed/" + module + "/target/worker.classpath"));
  }
}
