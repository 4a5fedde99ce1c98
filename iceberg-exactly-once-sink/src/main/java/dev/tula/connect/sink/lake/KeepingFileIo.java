package dev.tula.connect.sink.lake;

import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestListFile;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;

/**
 * The FileIO of the commit path: it deletes nothing. Iceberg cleans up after a commit that it takes
 * for failed, and a commit that landed and was reported as failed would lose its manifest list: an
 * unreadable table (C17). What stays behind is for {@code cleanup --orphans}.
 *
 * <p>Safe for any thread if its delegate is. Closing it closes nothing.
 */
final class KeepingFileIo implements FileIO {
  private static final long serialVersionUID = 1L;

  private final FileIO delegate;
  private final LongAdder withheldDeletes;

  KeepingFileIo(FileIO delegate, LongAdder withheldDeletes) {
    this.delegate = delegate;
    this.withheldDeletes = withheldDeletes;
  }

  @Override
  public void deleteFile(String path) {
    withheldDeletes.increment();
  }

  @Override
  public InputFile newInputFile(String path) {
    return delegate.newInputFile(path);
  }

  @Override
  public InputFile newInputFile(String path, long length) {
    return delegate.newInputFile(path, length);
  }

  @Override
  public InputFile newInputFile(DataFile file) {
    return delegate.newInputFile(file);
  }

  @Override
  public InputFile newInputFile(DeleteFile file) {
    return delegate.newInputFile(file);
  }

  @Override
  public InputFile newInputFile(ManifestFile manifest) {
    return delegate.newInputFile(manifest);
  }

  @Override
  public InputFile newInputFile(ManifestListFile manifestList) {
    return delegate.newInputFile(manifestList);
  }

  @Override
  public Map<String, String> properties() {
    return delegate.properties();
  }

  @Override
  public OutputFile newOutputFile(String path) {
    return delegate.newOutputFile(path);
  }
}
