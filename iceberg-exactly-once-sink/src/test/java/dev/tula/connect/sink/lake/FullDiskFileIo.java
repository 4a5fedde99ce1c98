package dev.tula.connect.sink.lake;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Files on the local disk, which has no room for new ones at times. Made by a catalog, by name. */
public final class FullDiskFileIo extends ForwardingFileIo {
  static volatile boolean full;

  private static final long serialVersionUID = 1L;

  /** For Iceberg. */
  public FullDiskFileIo() {
    super(new LocalFileIo(FullDiskFileIo::create));
  }

  /** To {@code /dev/full} the system lets nobody write, with the error of a disk without room. */
  private static FileChannel create(Path file) throws IOException {
    if (full) {
      Files.createFile(file);
      return FileChannel.open(Path.of("/dev/full"), StandardOpenOption.WRITE);
    }
    return FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
  }
}
