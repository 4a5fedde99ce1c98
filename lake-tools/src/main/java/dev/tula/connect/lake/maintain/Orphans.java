package dev.tula.connect.lake.maintain;

import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.sink.engine.OrphanSearch;
import dev.tula.connect.sink.engine.TableView;
import dev.tula.connect.sink.lake.IcebergLake;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.io.SupportsPrefixOperations;

/**
 * Finds the files in a table's folders that nothing leads to any more: files with rows that were
 * staged under a claim below the table's own (C28), and manifests, manifest lists and metadata
 * files that no metadata knows. Files of other engines, and files that are young, are left alone.
 *
 * <p>For one thread.
 */
final class Orphans {
  /** With any of these, other tables' files may be beside this one's. */
  private static final List<String> SHARED_FOLDERS =
      List.of(
          TableProperties.WRITE_DATA_LOCATION,
          TableProperties.WRITE_METADATA_LOCATION,
          TableProperties.WRITE_LOCATION_PROVIDER_IMPL,
          "write.object-storage.path",
          "write.folder-storage.path");

  private final String table;
  private final String name;
  private final Instant olderThan;

  /**
   * @param table the table's logical name, which is in the names of its files
   * @param name its name in the catalog, for messages
   * @param olderThan younger files are spared
   */
  Orphans(String table, String name, Instant olderThan) {
    this.table = table;
    this.name = name;
    this.olderThan = olderThan;
  }

  /**
   * Finds them.
   *
   * @param load loads the table as it is now
   * @throws ToolException if the table's folders can't be listed, or may not be its alone, or the
   *     catalog does not name its metadata file
   */
  List<FileInfo> find(Supplier<IcebergLake.Contents> load) {
    return new OrphanSearch<>(table, new Folders(load)).find();
  }

  /** The table's folders in its own storage. */
  private final class Folders implements OrphanSearch.Folders<IcebergLake.Contents, FileInfo> {
    private final Supplier<IcebergLake.Contents> load;

    Folders(Supplier<IcebergLake.Contents> load) {
      this.load = load;
    }

    @Override
    public IcebergLake.Contents load() {
      IcebergLake.Contents contents = load.get();
      checkMetadataIsNamed(contents.table());
      return contents;
    }

    @Override
    public TableView view(IcebergLake.Contents loaded) {
      return loaded.view();
    }

    @Override
    public List<FileInfo> data(IcebergLake.Contents loaded) {
      return list(loaded, "/data/", file -> true);
    }

    @Override
    public List<FileInfo> metadata(IcebergLake.Contents loaded) {
      return list(loaded, "/metadata/", Orphans::isMetadata);
    }

    @Override
    public String name(FileInfo file) {
      return References.name(file.location());
    }

    @Override
    public void removeReferenced(IcebergLake.Contents loaded, Map<String, List<FileInfo>> byName) {
      StorageCalls.call(
          "reading the manifests of table " + name,
          () -> {
            new References(loaded.table()).removeReferenced(byName);
            return true;
          });
    }
  }

  /** Else the one that the table stands on would be taken for one that it does not know. */
  private void checkMetadataIsNamed(Table of) {
    if (References.metadata(of).metadataFileLocation() == null) {
      throw ToolException.error(
          "table "
              + name
              + ": the catalog does not say where its metadata file lies, so an old one can't be"
              + " told from it. Run the command without --orphans");
    }
  }

  private SupportsPrefixOperations listing(Table of) {
    Stream<String> shared = SHARED_FOLDERS.stream().filter(of.properties()::containsKey);
    List<String> set = shared.toList();
    if (!set.isEmpty()) {
      throw ToolException.error(
          "table "
              + name
              + " sets "
              + String.join(", ", set)
              + ", so its files may lie beside those of other tables: nothing can be told to be an"
              + " orphan there");
    }
    if (of.io() instanceof SupportsPrefixOperations io) {
      return io;
    }
    throw ToolException.error(
        "table "
            + name
            + ": "
            + of.io().getClass().getName()
            + " can't list files; set iceberg.catalog.io-impl to one that can");
  }

  /** What in a folder is old enough, and of the wanted kind. */
  private List<FileInfo> list(
      IcebergLake.Contents contents, String folder, Predicate<FileInfo> wanted) {
    String location = contents.table().location().replaceAll("/+$", "");
    SupportsPrefixOperations io = listing(contents.table());
    return StorageCalls.call(
        "listing the files of table " + name,
        () -> {
          List<FileInfo> files = new ArrayList<>();
          for (FileInfo file : io.listPrefix(location + folder)) {
            if (file.createdAtMillis() < olderThan.toEpochMilli() && wanted.test(file)) {
              files.add(file);
            }
          }
          return files;
        });
  }

  private static boolean isMetadata(FileInfo file) {
    String location = file.location();
    return location.endsWith(".avro")
        || location.endsWith(".metadata.json")
        || location.endsWith(".metadata.json.gz");
  }
}
