package dev.tula.connect.sink.lake;

import dev.tula.connect.sink.engine.MalformedStateException;
import dev.tula.connect.sink.engine.TableState;
import dev.tula.connect.sink.engine.TableView;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.ManifestReader;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.SnapshotSummary;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.io.FileIO;

/**
 * Reads a table's three witnesses (C7) out of its metadata: the state property, the newest ancestor
 * of main that carries a state, and main's number of rows.
 */
final class Witnesses {
  private final String table;
  private final TableMetadata metadata;
  private final FileIO io;

  private Witnesses(String table, TableMetadata metadata, FileIO io) {
    this.table = table;
    this.metadata = metadata;
    this.io = io;
  }

  /**
   * The table as its metadata shows it.
   *
   * @param table its name, for messages
   * @param expected the schema that it was created with
   * @throws MalformedStateException naming the table, if a state of ours can't be read
   */
  static TableView view(String table, TableMetadata metadata, FileIO io, Schema expected) {
    return new Witnesses(table, metadata, io).view(expected);
  }

  private TableView view(Schema expected) {
    Optional<Snapshot> newest = newestOurs();
    return new TableView(
        metadata.uuid(),
        property(),
        newest.map(snapshot -> parse(() -> TableState.ofProperties(snapshot.summary()))),
        newest.isPresent() ? OptionalLong.of(newest.get().snapshotId()) : OptionalLong.empty(),
        totalRecords(),
        SchemaFaults.of(metadata, expected),
        halts(),
        clearedHalts());
  }

  private Optional<TableState> property() {
    return Optional.ofNullable(metadata.properties().get(TableState.PROPERTY))
        .map(json -> parse(() -> TableState.ofJson(json)));
  }

  private TableState parse(Supplier<TableState> parser) {
    try {
      return parser.get();
    } catch (MalformedStateException e) {
      throw new MalformedStateException("table " + table + ": " + e.getMessage(), e);
    }
  }

  /** Walks main's parents; ends where one has been expired. */
  private Optional<Snapshot> newestOurs() {
    Snapshot snapshot = metadata.currentSnapshot();
    while (snapshot != null) {
      if (snapshot.summary() != null && snapshot.summary().containsKey(TableState.SUMMARY_MARK)) {
        return Optional.of(snapshot);
      }
      snapshot = snapshot.parentId() == null ? null : metadata.snapshot(snapshot.parentId());
    }
    return Optional.empty();
  }

  /**
   * The rows of main's snapshot. No commit of ours leaves delete files behind, so any that are
   * there hide rows, and what they hide is taken off.
   */
  private long totalRecords() {
    Snapshot snapshot = metadata.currentSnapshot();
    if (snapshot == null) {
      return 0;
    }
    Map<String, String> summary = snapshot.summary() == null ? Map.of() : snapshot.summary();
    OptionalLong records = count(summary, SnapshotSummary.TOTAL_RECORDS_PROP);
    OptionalLong deleteFiles = count(summary, SnapshotSummary.TOTAL_DELETE_FILES_PROP);
    long rows = records.isPresent() ? records.getAsLong() : countRows(snapshot);
    boolean noDeletes = deleteFiles.isPresent() && deleteFiles.getAsLong() == 0;
    return noDeletes ? rows : rows - countDeletes(snapshot);
  }

  private static OptionalLong count(Map<String, String> summary, String key) {
    String value = summary.get(key);
    try {
      return value == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(value));
    } catch (NumberFormatException e) {
      return OptionalLong.empty(); // another engine's mistake: the manifests tell
    }
  }

  private long countRows(Snapshot snapshot) {
    long rows = 0;
    for (ManifestFile manifest : snapshot.dataManifests(io)) {
      Optional<Long> listed = listedRows(manifest);
      rows += listed.isPresent() ? listed.get() : countDataRows(manifest);
    }
    return rows;
  }

  private static Optional<Long> listedRows(ManifestFile manifest) {
    return manifest.addedRowsCount() == null || manifest.existingRowsCount() == null
        ? Optional.empty()
        : Optional.of(manifest.addedRowsCount() + manifest.existingRowsCount());
  }

  private long countDataRows(ManifestFile manifest) {
    try (ManifestReader<DataFile> files = ManifestFiles.read(manifest, io, metadata.specsById())) {
      long rows = 0;
      for (DataFile file : files) {
        rows += file.recordCount();
      }
      return rows;
    } catch (IOException e) {
      throw new UncheckedIOException("can't close manifest " + manifest.path(), e);
    }
  }

  private long countDeletes(Snapshot snapshot) {
    long deletes = 0;
    for (ManifestFile manifest : snapshot.deleteManifests(io)) {
      deletes += countDeletes(manifest);
    }
    return deletes;
  }

  private long countDeletes(ManifestFile manifest) {
    try (ManifestReader<DeleteFile> files =
        ManifestFiles.readDeleteManifest(manifest, io, metadata.specsById())) {
      long deletes = 0;
      for (DeleteFile file : files) {
        deletes += Math.max(1, file.recordCount());
      }
      return deletes;
    } catch (IOException e) {
      throw new UncheckedIOException("can't close manifest " + manifest.path(), e);
    }
  }

  private Map<String, String> halts() {
    Map<String, String> halts = new TreeMap<>();
    metadata
        .properties()
        .forEach(
            (key, value) -> {
              if (key.startsWith(TableView.HALT_PROPERTY)) {
                halts.put(key.substring(TableView.HALT_PROPERTY.length()), value);
              }
            });
    return halts;
  }

  private Set<String> clearedHalts() {
    Set<String> ids = new TreeSet<>();
    for (String key : metadata.properties().keySet()) {
      if (key.startsWith(TableView.CLEAR_PROPERTY)) {
        ids.add(key.substring(TableView.CLEAR_PROPERTY.length()));
      }
    }
    return ids;
  }
}
