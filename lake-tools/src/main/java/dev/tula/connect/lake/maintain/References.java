package dev.tula.connect.lake.maintain;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestFiles;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.StatisticsFile;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.CloseableIterable;

/** What a table's snapshots lead to. For one thread. */
final class References {
  private final Table table;

  /**
   * @param table as it was loaded
   */
  References(Table table) {
    this.table = table;
  }

  static TableMetadata metadata(Table table) {
    return ((HasTableOperations) table).operations().current();
  }

  /**
   * Files by what they are.
   *
   * @param content data and delete files
   * @param metadata manifests and manifest lists, in the order in which they may go
   */
  record Files(Set<String> content, List<String> metadata) {
    static Files none() {
      return new Files(Set.of(), List.of());
    }

    int count() {
      return content.size() + metadata.size();
    }
  }

  /**
   * What only snapshots led to that the table had, and none that it has.
   *
   * @param gone those that it had
   */
  Files onlyIn(Collection<Snapshot> gone) {
    Map<String, ManifestFile> manifests = new LinkedHashMap<>();
    List<String> lists = new ArrayList<>();
    for (Snapshot snapshot : gone) {
      try {
        snapshot.allManifests(table.io()).forEach(each -> manifests.put(each.path(), each));
        lists.add(snapshot.manifestListLocation());
      } catch (NotFoundException e) {
        continue; // whoever expired it as well has deleted its files
      }
    }
    Map<String, ManifestFile> left = manifests(table.snapshots());
    manifests.keySet().removeAll(left.keySet());
    Set<String> content = new LinkedHashSet<>();
    manifests.values().forEach(manifest -> addPaths(manifest, content));
    forEachContent(left.values(), content::remove, content);
    List<String> metadata = new ArrayList<>(manifests.keySet());
    metadata.addAll(lists);
    return new Files(content, metadata);
  }

  private void addPaths(ManifestFile manifest, Set<String> paths) {
    try {
      forEachPath(manifest, paths::add);
    } catch (NotFoundException e) {
      return; // deleted by whoever expired those snapshots as well
    }
  }

  /** Stops early once there is nothing left to look for. */
  private void forEachContent(
      Collection<ManifestFile> manifests, Consumer<String> action, Collection<?> lookedFor) {
    for (ManifestFile manifest : manifests) {
      if (lookedFor.isEmpty()) {
        return;
      }
      forEachPath(manifest, action);
    }
  }

  private void forEachPath(ManifestFile manifest, Consumer<String> action) {
    try (CloseableIterable<String> paths =
        ManifestFiles.readPaths(manifest, table.io(), metadata(table).specsById())) {
      paths.forEach(action);
    } catch (IOException e) {
      throw new UncheckedIOException("can't close manifest " + manifest.path(), e);
    }
  }

  private Map<String, ManifestFile> manifests(Iterable<Snapshot> snapshots) {
    Map<String, ManifestFile> manifests = new LinkedHashMap<>();
    for (Snapshot snapshot : snapshots) {
      snapshot.allManifests(table.io()).forEach(each -> manifests.put(each.path(), each));
    }
    return manifests;
  }

  /**
   * Takes out of a map whatever the table references: content, manifests, metadata files.
   *
   * @param byName files by the last part of their location; two locations with one last part are
   *     never told apart, as schemes and hosts may be spelt in several ways
   */
  void removeReferenced(Map<String, ?> byName) {
    TableMetadata metadata = metadata(table);
    Consumer<String> remove = location -> byName.remove(name(location));
    if (metadata.metadataFileLocation() != null) {
      remove.accept(metadata.metadataFileLocation());
    }
    metadata.previousFiles().forEach(entry -> remove.accept(entry.file()));
    metadata.statisticsFiles().stream().map(StatisticsFile::path).forEach(remove);
    Map<String, ManifestFile> manifests = manifests(metadata.snapshots());
    metadata.snapshots().stream().map(Snapshot::manifestListLocation).forEach(remove);
    manifests.keySet().forEach(remove);
    forEachContent(manifests.values(), remove, byName.keySet());
  }

  /** The last part of a location. */
  static String name(String location) {
    return location.substring(location.lastIndexOf('/') + 1);
  }
}
