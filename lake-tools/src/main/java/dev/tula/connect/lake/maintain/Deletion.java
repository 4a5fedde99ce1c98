package dev.tula.connect.lake.maintain;

import dev.tula.connect.sink.engine.LakeException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.LongConsumer;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.BulkDeletionFailureException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.SupportsBulkOperations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deletes files that nothing leads to. One that can't be deleted is counted and left. */
final class Deletion {
  private static final Logger LOG = LoggerFactory.getLogger(Deletion.class);
  private static final int BATCH = 1_000;

  private final String name;
  private final LongConsumer progress;
  private long deleted;
  private long failed;

  /**
   * @param name the table's name in the catalog
   * @param progress is told how many were deleted
   */
  Deletion(String name, LongConsumer progress) {
    this.name = name;
    this.progress = progress;
  }

  /**
   * Deletes files.
   *
   * @param io the table's
   * @throws LakeException if the storage takes no such calls
   */
  void delete(FileIO io, Collection<String> locations) {
    List<String> batch = new ArrayList<>();
    for (String location : locations) {
      batch.add(location);
      if (batch.size() == BATCH) {
        deleteBatch(io, batch);
        batch.clear();
      }
    }
    deleteBatch(io, batch);
  }

  private void deleteBatch(FileIO io, List<String> batch) {
    if (io instanceof SupportsBulkOperations bulk && !batch.isEmpty()) {
      int wrong = deleteBulk(bulk, batch);
      count(batch.size() - wrong, wrong);
      return;
    }
    batch.forEach(location -> deleteOne(io, location));
  }

  /** Returns how many could not be deleted. */
  private int deleteBulk(SupportsBulkOperations bulk, List<String> batch) {
    String what = "deleting files of table " + name;
    try {
      return StorageCalls.call(
          what,
          () -> {
            bulk.deleteFiles(batch);
            return 0;
          });
    } catch (BulkDeletionFailureException e) {
      LOG.warn("Files that nothing leads to could not be deleted", e);
      return Math.min(batch.size(), e.numberFailedObjects());
    } catch (NotFoundException | LakeException e) {
      count(0, batch.size());
      throw LakeException.lasting(what + " failed: " + e.getMessage(), e);
    }
  }

  private void deleteOne(FileIO io, String location) {
    try {
      io.deleteFile(location);
      count(1, 0);
    } catch (NotFoundException e) {
      count(1, 0);
    } catch (RuntimeException e) {
      LOG.warn("{}, which nothing leads to, could not be deleted", location, e);
      count(0, 1);
    }
  }

  private void count(int more, int wrong) {
    deleted += more;
    failed += wrong;
    progress.accept(deleted);
  }

  long deleted() {
    return deleted;
  }

  long failed() {
    return failed;
  }
}
