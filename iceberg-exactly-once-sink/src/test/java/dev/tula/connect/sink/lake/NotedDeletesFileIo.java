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
 * Files on the local disk, and a note in a file of each that is deleted. Made by a catalog, by
 * name; the note's place is one of its properties.
 */
public final class NotedDeletesFileIo implements FileIO {
  static final String NOTES = "noted-deletes";

  private static final long serialVersionUID = 1L;

  private final FileIO delegate = new LocalFileIo();
  private String notes;

  /** For Iceberg. */
  public NotedDeletesFileIo() {}

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
