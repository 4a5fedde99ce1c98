package dev.tula.connect.lake.maintain;

import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.sink.engine.StagedFileName;
import dev.tula.connect.sink.engine.WriterClaim;
import dev.tula.connect.sink.lake.IcebergLake;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
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
   * Finds them. The claim is read first, then the folders are listed, then the references: what a
   * writer below that claim ever committed is among these.
   *
   * @param load loads the table as it is now
   * @throws ToolException if the table's folders can't be listed, or may not be its alone
   */
  List<FileInfo> find(Supplier<IcebergLake.Contents> load) {
    IcebergLake.Contents before = load.get();
    WriterClaim claim = before.view().property().orElseThrow().claim();
    Map<String, List<FileInfo>> candidates = new HashMap<>();
    String location = before.table().location().replaceAll("/+$", "");
    SupportsPrefixOperations io = listing(before.table());
    add(io, location + "/data/", file -> isDead(file, claim), candidates);
    add(io, location + "/metadata/", Orphans::isMetadata, candidates);
    if (candidates.isEmpty()) {
      return List.of();
    }
    IcebergLake.Contents now = load.get();
    if (!now.view().uuid().equals(before.view().uuid())) {
      throw ToolException.error("table " + name + " was replaced while its files were listed");
    }
    new References(now.table()).removeReferenced(candidates);
    return candidates.values().stream().flatMap(List::stream).toList();
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

  private void add(
      SupportsPrefixOperations io,
      String folder,
      Predicate<FileInfo> dead,
      Map<String, List<FileInfo>> candidates) {
    for (FileInfo file : io.listPrefix(folder)) {
      if (file.createdAtMillis() < olderThan.toEpochMilli() && dead.test(file)) {
        candidates
            .computeIfAbsent(References.name(file.location()), any -> new ArrayList<>())
            .add(file);
      }
    }
  }

  private boolean isDead(FileInfo file, WriterClaim claim) {
    return StagedFileName.claim(References.name(file.location()), table)
        .filter(claim::isNewerThan)
        .isPresent();
  }

  private static boolean isMetadata(FileInfo file) {
    String location = file.location();
    return location.endsWith(".avro")
        || location.endsWith(".metadata.json")
        || location.endsWith(".metadata.json.gz");
  }
}
