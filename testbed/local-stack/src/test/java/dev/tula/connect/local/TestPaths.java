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

  static String workerClassPath() throws IOException {
    return Files.readString(root().resolve("testbed/connect-worker/target/worker.classpath"));
  }
}
