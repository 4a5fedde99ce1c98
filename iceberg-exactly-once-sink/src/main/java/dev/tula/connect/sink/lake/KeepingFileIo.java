package dev.tula.connect.sink.lake;

import java.util.concurrent.atomic.LongAdder;
import org.apache.iceberg.io.FileIO;

/**
 * The FileIO of the commit path: it deletes nothing. Iceberg cleans up after a commit that it takes
 * for failed, and a commit that landed and was reported as failed would lose its manifest list: an
 * unreadable table (C17). What stays behind is for {@code cleanup --orphans}.
 */
final class KeepingFileIo extends ForwardingFileIo {
  private static final long serialVersionUID = 1L;

  private final LongAdder withheldDeletes;

  KeepingFileIo(FileIO delegate, LongAdder withheldDeletes) {
    super(delegate);
    this.withheldDeletes = withheldDeletes;
  }

  @Override
  public void deleteFile(String path) {
    withheldDeletes.increment();
  }
}
