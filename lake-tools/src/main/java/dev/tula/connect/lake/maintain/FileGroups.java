package dev.tula.connect.lake.maintain;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.sink.lake.ListedDataFile;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.iceberg.DataFile;

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
   * The groups of a table's files.
   *
   * @param files all of them
   * @param cold only files all of whose rows lie in it are taken
   * @param targetBytes what a group may have
   */
  static List<Group> of(List<ListedFile> files, Range cold, long targetBytes) {
    List<Group> groups = new ArrayList<>();
    List<Spanned> group = new ArrayList<>();
    long bytes = 0;
    for (Spanned next : spanned(files)) {
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

  /** Those whose batches are known, by their first. */
  private static List<Spanned> spanned(List<ListedFile> files) {
    List<Spanned> spanned = new ArrayList<>();
    for (ListedFile file : files) {
      if (file.firstBatch().isPresent() && file.lastBatch().isPresent()) {
        spanned.add(new Spanned(file.file(), file.firstBatch().get(), file.lastBatch().get()));
      }
    }
    spanned.sort(Comparator.comparingLong(Spanned::firstBatch).thenComparing(Spanned::lastBatch));
    return spanned;
  }
}
