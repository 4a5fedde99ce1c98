package dev.tula.connect.sink.lake;

import java.io.BufferedOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.PositionOutputStream;
import org.apache.iceberg.io.SeekableInputStream;
import org.apache.iceberg.io.SupportsPrefixOperations;

/**
 * Iceberg's files on a local disk ({@code file:} or an absolute path). A file appears whole and on
 * disk, or not at all: it is written beside its place, forced, moved, and its folder forced.
 * HadoopFileIO forces nothing, and a power cut could leave a commit without its files.
 *
 * <p>Loaded by Iceberg by name. Immutable, and safe for any thread.
 */
public final class LocalFileIo implements SupportsPrefixOperations {
  private static final long serialVersionUID = 1L;

  private static final String SCHEME = "file:";

  private final Disk disk;

  /** Where new files come to be. */
  @FunctionalInterface
  interface Disk extends Serializable {
    /** A channel to a file that was not there before. */
    FileChannel create(Path file) throws IOException;
  }

  /** For Iceberg. */
  public LocalFileIo() {
    this(file -> FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
  }

  LocalFileIo(Disk disk) {
    this.disk = disk;
  }

  /** Whether a location is one of this FileIO's. */
  static boolean handles(String location) {
    return location.startsWith(SCHEME) || location.startsWith("/");
  }

  private static Path path(String location) {
    String path = location;
    if (path.startsWith(SCHEME)) {
      path = path.substring(SCHEME.length());
      path = path.startsWith("//") ? path.substring(2) : path;
    }
    if (!path.startsWith("/")) {
      throw new IllegalArgumentException(
          location + " is not a local file: write file:/folder, file:///folder or /folder");
    }
    return Path.of(path);
  }

  @Override
  public InputFile newInputFile(String location) {
    return new LocalInput(location);
  }

  @Override
  public OutputFile newOutputFile(String location) {
    return new LocalOutput(location, disk);
  }

  @Override
  public void deleteFile(String location) {
    try {
      Files.deleteIfExists(path(location));
    } catch (IOException e) {
      throw new UncheckedIOException("can't delete " + location, e);
    }
  }

  /** Every file below a folder, unfinished ones too; none where there is no such folder. */
  @Override
  public Iterable<FileInfo> listPrefix(String prefix) {
    Path folder = path(prefix);
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> paths = Files.walk(folder)) {
      return paths.filter(Files::isRegularFile).flatMap(LocalFileIo::info).toList();
    } catch (IOException e) {
      throw new UncheckedIOException("can't list " + prefix, e);
    }
  }

  /** A file that went away while its folder was listed is not listed. */
  private static Stream<FileInfo> info(Path file) {
    try {
      return Stream.of(
          new FileInfo(
              SCHEME + "//" + file, Files.size(file), Files.getLastModifiedTime(file).toMillis()));
    } catch (NoSuchFileException e) {
      return Stream.of();
    } catch (IOException e) {
      throw new UncheckedIOException("can't look at " + file, e);
    }
  }

  /** Not to be had: a slip in a prefix would cost a table. */
  @Override
  public void deletePrefix(String prefix) {
    throw new UnsupportedOperationException("files are deleted one by one, " + prefix + " is not");
  }

  private record LocalInput(String location) implements InputFile {
    private InputFile file() {
      return org.apache.iceberg.Files.localInput(path(location).toFile());
    }

    @Override
    public long getLength() {
      return file().getLength();
    }

    @Override
    public SeekableInputStream newStream() {
      return file().newStream();
    }

    @Override
    public boolean exists() {
      return file().exists();
    }
  }

  private record LocalOutput(String location, Disk disk) implements OutputFile {
    @Override
    public PositionOutputStream create() {
      File file = path(location).toFile();
      if (file.exists()) {
        throw new AlreadyExistsException("File already exists: %s", location);
      }
      return open(false);
    }

    @Override
    public PositionOutputStream createOrOverwrite() {
      return open(true);
    }

    private PositionOutputStream open(boolean replace) {
      try {
        return new WholeFileStream(path(location), disk, replace);
      } catch (IOException e) {
        throw new UncheckedIOException("can't create " + location, e);
      }
    }

    @Override
    public InputFile toInputFile() {
      return new LocalInput(location);
    }
  }

  /** Not thread-safe, as output streams are not. */
  private static final class WholeFileStream extends PositionOutputStream {
    private static final int BUFFER_BYTES = 64 * 1024;

    private final Path target;
    private final Path unfinished;
    private final boolean replace;
    private final FileChannel channel;
    private final OutputStream out;
    private long position;
    private boolean broken;
    private boolean closed;

    WholeFileStream(Path target, Disk disk, boolean replace) throws IOException {
      this.target = target;
      this.replace = replace;
      this.unfinished =
          target.resolveSibling("." + target.getFileName() + "." + UUID.randomUUID() + ".tmp");
      createFolders(target.getParent());
      this.channel = disk.create(unfinished);
      this.out = new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_BYTES);
    }

    @Override
    public long getPos() {
      return position;
    }

    @Override
    public void write(int octet) throws IOException {
      try {
        out.write(octet);
      } catch (IOException e) {
        throw broken(e);
      }
      position++;
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
      try {
        out.write(bytes, from, length);
      } catch (IOException e) {
        throw broken(e);
      }
      position += length;
    }

    @Override
    public void flush() throws IOException {
      try {
        out.flush();
      } catch (IOException e) {
        throw broken(e);
      }
    }

    /** A full disk names no file. From now on this one is never put in its place. */
    private IOException broken(IOException failure) {
      broken = true;
      if (failure instanceof FileSystemException) {
        return failure;
      }
      IOException named = new FileSystemException(target.toString(), null, failure.getMessage());
      named.addSuppressed(failure);
      return named;
    }

    @Override
    public void close() throws IOException {
      if (closed) {
        return;
      }
      closed = true;
      try (channel) {
        if (broken) {
          throw new IOException("not written whole");
        }
        out.flush();
        channel.force(true);
        putInPlace();
      } catch (IOException e) {
        throw broken(e);
      } finally {
        Files.deleteIfExists(unfinished);
      }
      force(target.getParent());
    }

    private void putInPlace() throws IOException {
      if (replace) {
        Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
        return;
      }
      try {
        Files.createLink(target, unfinished);
      } catch (FileAlreadyExistsException e) {
        throw new AlreadyExistsException(e, "File already exists: %s", target);
      } catch (UnsupportedOperationException e) {
        Files.move(unfinished, target);
      }
    }

    private static void createFolders(Path folder) throws IOException {
      Deque<Path> missing = new ArrayDeque<>();
      for (Path next = folder; next != null && !Files.exists(next); next = next.getParent()) {
        missing.push(next);
      }
      Files.createDirectories(folder);
      for (Path created : missing) {
        force(created.getParent());
      }
    }

    private static void force(Path folder) throws IOException {
      try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
        channel.force(true);
      }
    }
  }
}
