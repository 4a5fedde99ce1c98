package dev.tula.connect.postgres;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A PostgreSQL server on the loopback interface, with user and database {@code postgres}. It stops
 * when its standard input ends, so that it never outlives who started it.
 */
public final class PostgresMain {
  private PostgresMain() {}

  /**
   * Serves until standard input ends.
   *
   * @param args the port, the directory for its programs and its data
   */
  public static void main(String[] args) throws IOException {
    Path directory = Path.of(args[1]);
    try (EmbeddedPostgres server =
        EmbeddedPostgres.builder()
            .setPort(Integer.parseInt(args[0]))
            .setOverrideWorkingDirectory(directory.resolve("server").toFile())
            .setDataDirectory(directory.resolve("data"))
            .setCleanDataDirectory(false)
            .setServerConfig("listen_addresses", "127.0.0.1")
            .start()) {
      System.out.println("PostgreSQL listens on port " + server.getPort());
      while (System.in.read() >= 0) {
        // Nothing is ever sent; what matters is the end.
      }
    }
  }
}
