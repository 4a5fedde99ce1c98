package dev.tula.connect.local;

import java.nio.file.Path;
import org.apache.iceberg.io.FileIO;

/** The files of a lake as a reader on this machine gets at them. Safe for any thread. */
interface LakeFiles {
  /** For Iceberg's metadata and manifests. */
  FileIO io();

  /** A file on the local disk with the content of the one at {@code location}. */
  Path local(String location);

  /** Files that lie on the local disk anyway. */
  static LakeFiles onDisk() {
    LocalFileIo io = new LocalFileIo();
    return new LakeFiles() {
      @Override
      public FileIO io() {
        return io;
      }

      @Override
      public Path local(String location) {
        return LocalFileIo.path(location);
      }
    };
  }
}
