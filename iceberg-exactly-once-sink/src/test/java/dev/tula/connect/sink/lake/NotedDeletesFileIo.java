package dev.tula.connect.sink.lake;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;

/**
 * Files, and a note in a file of each that is deleted. On the local disk where a catalog makes it,
 * by name; the note's place is one of its properties then.
 */
public final class NotedDeletesFileIo implements FileIO {
  static final String NOTES = "noted-deletes";

  private static final long serialVersionUID = 1L;

  private final FileIO delegate;
  private String notes;

  /** For Iceberg. */
  public NotedDeletesFileIo() {
    this.delegate = new LocalFileIo();
  }

  NotedDeletesFileIo(FileIO delegate, Path notes) {
    this.delegate = delegate;
    this.notes = notes.toString();
  }

  /** What was deleted. */
  static List<String> deleted(Path notes) throws IOException {
    return Files.exists(notes) ? Files.readAllLines(notes) : List.of();
  }

  @Override
  public void initialize(Map<String, String> properties) {
    notes = properties.get(NOTES);
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
    try {
      Files.writeString(
          Path.of(notes), path + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    delegate.deleteFile(path);
  }
}
