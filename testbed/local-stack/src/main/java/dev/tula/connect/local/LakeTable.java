package dev.tula.connect.local;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A table as its current metadata describes it.
 *
 * @param name its physical name
 * @param uuid its UUID
 * @param columns its columns in the order of their ids
 * @param properties its properties
 * @param snapshots its snapshots that are still listed, oldest first
 * @param dataFiles the files that the current snapshot lists
 * @param dataFileRows the rows that it says they hold
 */
public record LakeTable(
    String name,
    String uuid,
    List<Column> columns,
    Map<String, String> properties,
    List<SnapshotInfo> snapshots,
    List<Path> dataFiles,
    long dataFileRows) {
  /**
   * A column as the table declares it.
   *
   * @param name its name
   * @param type its Iceberg type
   * @param required whether it is required
   */
  public record Column(String name, String type, boolean required) {}

  /**
   * A snapshot.
   *
   * @param id its id
   * @param atMs its time, ms since the epoch
   * @param summary its summary
   */
  public record SnapshotInfo(long id, long atMs, Map<String, String> summary) {}
}
