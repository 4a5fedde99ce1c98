package dev.tula.connect.sink.lake;

import java.util.Map;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.ManifestFile;
import org.apache.iceberg.ManifestListFile;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;

/**
 * Passes everything on to another FileIO, for those that do one thing otherwise. Closing it closes
 * nothing. Safe for any thread if its delegate is.
 */
abstract class ForwardingFileIo implements FileIO {
  private static final long serialVersionUID = 1L;

  private final FileIO delegate;

  ForwardingFileIo(FileIO delegate) {
    this.delegate = delegate;
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

  @Override
  public void deleteFile(String path) {
    delegate.deleteFile(path);
  }
}
