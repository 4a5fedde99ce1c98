package dev.tula.connect.lake.maintain;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.sink.lake.ListedDataFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.types.Conversions;
import org.apache.iceberg.types.Types;

/** Groups a table's small files, neighbours by position, each group to become one file. */
final class FileGroups {
  /** A file of more than this part of the target is no small one. */
  private static final double SMALL_PART = 0.75;

  private FileGroups() {}

  /**
   * Files that follow one another.
   *
   * @param files two or more, in the order of their first batches
   * @param last no row of theirs is after this
   */
  record Group(List<ListedDataFile> files, Position last) {
    Group {
      files = List.copyOf(files);
    }

    long bytes() {
      return files.stream().mapToLong(file -> file.dataFile().fileSizeInBytes()).sum();
    }

    long rows() {
      return files.stream().mapToLong(ListedDataFile::rows).sum();
    }
  }

  /** A file and the batches that it has rows of. */
  private record Spanned(DataFile file, long firstBatch, long lastBatch) {
    /** Whether no row is outside; both ends are whole batches here, which is on the safe side. */
    boolean isWithin(Range range) {
      long last =
          range.to().isBatchEnd() ? range.to().globalBatchSeq() : range.to().globalBatchSeq() - 1;
      return firstBatch > range.from().globalBatchSeq() && lastBatch <= last;
    }
  }

  /**
   * The groups of a table.
   *
   * @param table as it was loaded
   * @param cold only files all of whose rows lie in it are taken
   * @param targetBytes what a group may have
   */
  static List<Group> of(Table table, Range cold, long targetBytes) {
    List<Group> groups = new ArrayList<>();
    List<Spanned> group = new ArrayList<>();
    long bytes = 0;
    for (Spanned next : files(table)) {
      boolean small =
          next.isWithin(cold) && next.file().fileSizeInBytes() < targetBytes * SMALL_PART;
      if (!small || bytes + next.file().fileSizeInBytes() > targetBytes) {
        addIfSeveral(group, groups);
        group = new ArrayList<>();
        bytes = 0;
      }
      if (small) {
        group.add(next);
        bytes += next.file().fileSizeInBytes();
      }
    }
    addIfSeveral(group, groups);
    return groups;
  }

  private static void addIfSeveral(List<Spanned> group, List<Group> groups) {
    if (group.size() > 1) {
      long last = group.stream().mapToLong(Spanned::lastBatch).max().orElseThrow();
      groups.add(
          new Group(
              group.stream().map(each -> new ListedDataFile(each.file())).toList(),
              Position.batchEnd(last)));
    }
  }

  /** Every file whose batches are known, by its first. */
  private static List<Spanned> files(Table table) {
    List<Spanned> files = new ArrayList<>();
    int id = table.schema().findField("global_batch_seq").fieldId();
    try (CloseableIterable<FileScanTask> tasks = table.newScan().includeColumnStats().planFiles()) {
      for (FileScanTask task : tasks) {
        Optional<Long> first = bound(task.file().lowerBounds(), id);
        Optional<Long> last = bound(task.file().upperBounds(), id);
        if (first.isPresent() && last.isPresent()) {
          files.add(new Spanned(task.file(), first.get(), last.get()));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("can't list the files of table " + table.name(), e);
    }
    files.sort(Comparator.comparingLong(Spanned::firstBatch).thenComparing(Spanned::lastBatch));
    return files;
  }

  private static Optional<Long> bound(Map<Integer, ByteBuffer> bounds, int id) {
    ByteBuffer bound = bounds == null ? null : bounds.get(id);
    return bound == null
        ? Optional.empty()
        : Optional.of(Conversions.fromByteBuffer(Types.LongType.get(), bound));
  }

  /** The locations of all files of a table. */
  static List<String> locations(Table table) {
    List<String> locations = new ArrayList<>();
    try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
      tasks.forEach(task -> locations.add(task.file().location()));
    } catch (IOException e) {
      throw new UncheckedIOException("can't list the files of table " + table.name(), e);
    }
    return locations;
  }
}
