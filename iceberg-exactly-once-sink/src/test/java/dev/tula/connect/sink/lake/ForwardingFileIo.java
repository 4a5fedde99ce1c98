package dev.tula.connect.sink.lake;

import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;

/** Passes everything on to another FileIO, for those that do one thing otherwise. */
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
  public OutputFile newOutputFile(String path) {
    return delegate.newOutputFile(path);
  }

  @Override
  public void deleteFile(String path) {
    delegate.deleteFile(path);
  }
}
