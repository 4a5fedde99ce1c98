package dev.tula.connect.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;

/** Iceberg's view of the local disk, without Hadoop. Safe for any thread. */
public final class LocalFileIo implements FileIO {
  private static final long serialVersionUID = 1L;

  @Override
  public InputFile newInputFile(String location) {
    return org.apache.iceberg.Files.localInput(path(location).toFile());
  }

  @Override
  public OutputFile newOutputFile(String location) {
    return org.apache.iceberg.Files.localOutput(path(location).toFile());
  }

  @Override
  public void deleteFile(String location) {
    try {
      Files.deleteIfExists(path(location));
    } catch (IOException e) {
      throw new UncheckedIOException("could not delete " + location, e);
    }
  }

  /** The path that a {@code file:} location, or a bare one, names. */
  static Path path(String location) {
    return location.startsWith("file:")
        ? Path.of(URI.create(location).getPath())
        : Path.of(location);
  }
}
