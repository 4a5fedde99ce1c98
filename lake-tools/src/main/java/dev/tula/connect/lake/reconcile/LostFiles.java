package dev.tula.connect.lake.reconcile;

import java.io.FileNotFoundException;
import java.nio.file.NoSuchFileException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.parquet.io.ParquetDecodingException;

/** Tells the failures that mean that a listed file is gone, or is no file of ours any more. */
final class LostFiles {
  private static final int MAX_CAUSES = 16;

  private LostFiles() {}

  static boolean isLost(Throwable failure) {
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < MAX_CAUSES; depth++) {
      if (cause instanceof NotFoundException
          || cause instanceof FileNotFoundException
          || cause instanceof NoSuchFileException
          || cause instanceof ParquetDecodingException
          || isNoParquet(cause)) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  /** What Parquet throws for a file without its magic bytes has no type of its own. */
  private static boolean isNoParquet(Throwable cause) {
    return cause.getMessage() != null && cause.getMessage().contains("is not a Parquet file");
  }
}
