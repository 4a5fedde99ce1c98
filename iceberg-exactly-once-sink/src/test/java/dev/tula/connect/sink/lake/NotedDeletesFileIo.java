package dev.tula.connect.sink.lake;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.io.FileIO;

/**
 * Files, and a note in a file of each that is deleted. On the local disk where a catalog makes it,
 * by name; the note's place is one of its properties then.
 */
public final class NotedDeletesFileIo extends ForwardingFileIo {
  static final String NOTES = "noted-deletes";

  private static final long serialVersionUID = 1L;

  private String notes;

  /** For Iceberg. */
  public NotedDeletesFileIo() {
    super(new LocalFileIo());
  }

  NotedDeletesFileIo(FileIO delegate, Path notes) {
    super(delegate);
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
  public void deleteFile(String path) {
    try {
      Files.writeString(
          Path.of(notes), path + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    super.deleteFile(path);
  }
}
