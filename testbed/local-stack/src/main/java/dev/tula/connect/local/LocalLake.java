package dev.tula.connect.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.ManifestContent;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.types.Types.NestedField;

/**
 * A lake on the local disk: an Iceberg JDBC catalog in SQLite and a {@code file://} warehouse. It
 * is read as a foreign engine would read it, from the catalog's own table and Iceberg's metadata,
 * with none of the sink's code.
 *
 * <p>Safe for any thread and any number of processes.
 */
public final class LocalLake {
  private static final LocalFileIo FILES = new LocalFileIo();

  private final Path directory;
  private final String namespace;

  /**
   * @param directory where catalog and warehouse lie; made if it is not there
   * @param namespace the namespace of the pipeline's tables
   */
  public LocalLake(Path directory, String namespace) {
    this.directory = directory.toAbsolutePath();
    this.namespace = namespace;
    try {
      Files.createDirectories(warehouse());
    } catch (IOException e) {
      throw new StackException("could not make " + warehouse(), e);
    }
  }

  /** The catalog's database file. */
  public Path catalogFile() {
    return directory.resolve("catalog.db");
  }

  /** The catalog's JDBC address, for {@code iceberg.catalog.uri}. */
  public String catalogUri() {
    return "jdbc:sqlite:" + catalogFile() + "?busy_timeout=20000";
  }

  /** The warehouse directory. */
  public Path warehouse() {
    return directory.resolve("warehouse");
  }

  /** The namespace of the pipeline's tables. */
  public String namespace() {
    return namespace;
  }

  /** The physical names of the namespace's tables, in alphabetical order. */
  public List<String> tableNames() {
    return select(
        "SELECT table_name FROM iceberg_tables WHERE table_namespace = ? ORDER BY table_name");
  }

  /**
   * A table, read anew.
   *
   * @param name its physical name
   */
  public Optional<LakeTable> table(String name) {
    return select(
            "SELECT metadata_location FROM iceberg_tables"
                + " WHERE table_namespace = ? AND table_name = ?",
            name)
        .stream()
        .findFirst()
        .map(location -> read(name, location));
  }

  private List<String> select(String sql, String... more) {
    if (!Files.exists(catalogFile())) {
      return List.of();
    }
    try (Connection connection = DriverManager.getConnection(catalogUri());
        PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, namespace);
      for (int i = 0; i < more.length; i++) {
        statement.setString(i + 2, more[i]);
      }
      List<String> values = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          values.add(rows.getString(1));
        }
      }
      return values;
    } catch (SQLException e) {
      if (e.getMessage().contains("no such table")) {
        return List.of();
      }
      throw new StackException("the catalog " + catalogFile() + " could not be read", e);
    }
  }

  private static LakeTable read(String name, String location) {
    TableMetadata metadata = TableMetadataParser.read(FILES, location);
    List<Path> files = new ArrayList<>();
    long rows = 0;
    for (DataFile file : dataFiles(name, metadata)) {
      files.add(LocalFileIo.path(file.location()));
      rows += file.recordCount();
    }
    return new LakeTable(
        name,
        metadata.uuid(),
        metadata.schema().columns().stream().map(LocalLake::column).toList(),
        Map.copyOf(metadata.properties()),
        metadata.snapshots().stream().map(LocalLake::snapshot).toList(),
        files,
        rows);
  }

  private static LakeTable.Column column(NestedField field) {
    return new LakeTable.Column(field.name(), field.type().toString(), field.isRequired());
  }

  private static LakeTable.SnapshotInfo snapshot(Snapshot snapshot) {
    return new LakeTable.SnapshotInfo(
        snapshot.snapshotId(), snapshot.timestampMillis(), Map.copyOf(snapshot.summary()));
  }

  private static List<DataFile> dataFiles(String table, TableMetadata metadata) {
    Snapshot current = metadata.currentSnapshot();
    if (current == null) {
      return List.of();
    }
    List<DataFile> files = new ArrayList<>();
    for (ManifestFile manifest : current.allManifests(FILES)) {
      if (manifest.content() == ManifestContent.DELETES) {
        throw new StackException(
            "table " + table + " has delete files, which nothing here writes or reads");
      }
      try (ManifestReader<DataFile> reader =
          ManifestFiles.read(manifest, FILES, metadata.specsById())) {
        reader.forEach(file -> files.add(file.copyWithoutStats()));
      } catch (IOException e) {
        throw new StackException("a manifest of " + table + " could not be read", e);
      }
    }
    return files;
  }
}
