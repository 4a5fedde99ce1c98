package dev.tula.connect.lake.maintain;

import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.sink.engine.LakeException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableScan;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Types;

/**
 * A file that a table lists, and the batches that its metrics say it has rows of.
 *
 * @param file as Iceberg describes it
 * @param firstBatch absent if its metrics don't tell
 * @param lastBatch likewise
 */
public record ListedFile(DataFile file, Optional<Long> firstBatch, Optional<Long> lastBatch) {
  /**
   * Every file of a table.
   *
   * @param table as it was loaded
   * @param name its name in the catalog
   * @throws ToolException if a manifest is gone
   * @throws LakeException if the storage goes on failing
   */
  public static List<ListedFile> all(Table table, String name) {
    int id = table.schema().findField("global_batch_seq").fieldId();
    return plan(table.newScan().includeColumnStats(), name).stream()
        .map(file -> of(file, id))
        .toList();
  }

  private static ListedFile of(DataFile file, int id) {
    return new ListedFile(file, bound(file.lowerBounds(), id), bound(file.upperBounds(), id));
  }

  private static Optional<Long> bound(Map<Integer, ByteBuffer> bounds, int id) {
    ByteBuffer bound = bounds == null ? null : bounds.get(id);
    return bound == null
        ? Optional.empty()
        : Optional.of(Conversions.fromByteBuffer(Types.LongType.get(), bound));
  }

  /** The locations of every file of a table; else as {@link #all}. */
  static List<String> locations(Table table, String name) {
    return plan(table.newScan(), name).stream().map(DataFile::location).toList();
  }

  private static List<DataFile> plan(TableScan scan, String name) {
    return StorageCalls.manifests("listing the files", name, () -> plan(scan));
  }

  private static List<DataFile> plan(TableScan scan) {
    List<DataFile> files = new ArrayList<>();
    try (CloseableIterable<FileScanTask> tasks = scan.planFiles()) {
      tasks.forEach(task -> files.add(task.file()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return files;
  }
}
