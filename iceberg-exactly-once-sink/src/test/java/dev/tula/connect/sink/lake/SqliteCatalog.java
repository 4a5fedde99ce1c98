package dev.tula.connect.sink.lake;

import java.nio.file.Path;
import java.util.Map;

/** A JDBC catalog in an SQLite file, files on disk. */
public final class SqliteCatalog {
  private SqliteCatalog() {}

  /**
   * What a catalog is made by.
   *
   * @param folder where all of it is
   */
  public static Map<String, String> properties(Path folder) {
    return Map.of(
        "type", "jdbc",
        "uri", "jdbc:sqlite:" + folder.resolve("catalog.db") + "?busy_timeout=20000",
        "clients", "1",
        "jdbc.schema-version", "V1",
        "warehouse", folder.resolve("warehouse").toUri().toString());
  }
}
