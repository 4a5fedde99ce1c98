package dev.tula.connect.local;

import java.io.IOException;
import java.nio.file.Path;
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
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.types.Types.NestedField;

/**
 * A lake on this machine, read as a foreign engine would read it: from the catalog's answers and
 * Iceberg's metadata, with none of the sink's code.
 *
 * <p>Safe for any thread and any number of processes.
 */
public final class LocalLake {
  private final LakeCatalog catalog;
  private final LakeFiles files;
  private final String namespace;

  /**
   * @param catalog where its tables are found
   * @param files where its files are
   * @param namespace the namespace of the pipeline's tables
   */
  LocalLake(LakeCatalog catalog, LakeFiles files, String namespace) {
    this.catalog = catalog;
    this.files = files;
    this.namespace = namespace;
  }

  /** The catalog's address, for {@code iceberg.catalog.uri}. */
  public String catalogUri() {
    return catalog.uri();
  }

  /** The namespace of the pipeline's tables. */
  public String namespace() {
    return namespace;
  }

  /** The physical names of the namespace's tables, in alphabetical order. */
  public List<String> tableNames() {
    return catalog.tableNames(namespace);
  }

  /**
   * A table, read anew.
   *
   * @param name its physical name
   */
  public Optional<LakeTable> table(String name) {
    return catalog.metadataLocation(namespace, name).map(location -> read(name, location));
  }

  private LakeTable read(String name, String location) {
    TableMetadata metadata = TableMetadataParser.read(files.io(), location);
    List<Path> paths = new ArrayList<>();
    long rows = 0;
    for (DataFile file : dataFiles(name, metadata)) {
      paths.add(files.local(file.location()));
      rows += file.recordCount();
    }
    return new LakeTable(
        name,
        metadata.uuid(),
        metadata.schema().columns().stream().map(LocalLake::column).toList(),
        Map.copyOf(metadata.properties()),
        metadata.snapshots().stream().map(LocalLake::snapshot).toList(),
        paths,
        rows);
  }

  private static LakeTable.Column column(NestedField field) {
    return new LakeTable.Column(field.name(), field.type().toString(), field.isRequired());
  }

  private static LakeTable.SnapshotInfo snapshot(Snapshot snapshot) {
    return new LakeTable.SnapshotInfo(
        snapshot.snapshotId(), snapshot.timestampMillis(), Map.copyOf(snapshot.summary()));
  }

  private List<DataFile> dataFiles(String table, TableMetadata metadata) {
    Snapshot current = metadata.currentSnapshot();
    if (current == null) {
      return List.of();
    }
    FileIO io = files.io();
    List<DataFile> listed = new ArrayList<>();
    for (ManifestFile manifest : current.allManifests(io)) {
      if (manifest.content() == ManifestContent.DELETES) {
        throw new StackException(
            "table " + table + " has delete files, which nothing here writes or reads");
      }
      try (ManifestReader<DataFile> reader =
          ManifestFiles.read(manifest, io, metadata.specsById())) {
        reader.forEach(file -> listed.add(file.copyWithoutStats()));
      } catch (IOException e) {
        throw new StackException("a manifest of " + table + " could not be read", e);
      }
    }
    return listed;
  }
}
