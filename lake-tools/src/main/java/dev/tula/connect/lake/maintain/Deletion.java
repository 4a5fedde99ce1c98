package dev.tula.connect.lake.maintain;

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

  private final FileIO io;
  private final LongConsumer progress;
  private long deleted;
  private long failed;

  /**
   * @param progress is told how many were deleted
   */
  Deletion(FileIO io, LongConsumer progress) {
    this.io = io;
    this.progress = progress;
  }

  void delete(Collection<String> locations) {
    List<String> batch = new ArrayList<>();
    for (String location : locations) {
      batch.add(location);
      if (batch.size() == BATCH) {
        deleteBatch(batch);
        batch.clear();
      }
    }
    deleteBatch(batch);
  }

  private void deleteBatch(List<String> batch) {
    if (io instanceof SupportsBulkOperations bulk && !batch.isEmpty()) {
      int wrong = 0;
      try {
        bulk.deleteFiles(batch);
      } catch (BulkDeletionFailureException e) {
        LOG.warn("Files that nothing leads to could not be deleted", e);
        wrong = Math.min(batch.size(), e.numberFailedObjects());
      }
      count(batch.size() - wrong, wrong);
      return;
    }
    batch.forEach(this::deleteOne);
  }

  private void deleteOne(String location) {
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
