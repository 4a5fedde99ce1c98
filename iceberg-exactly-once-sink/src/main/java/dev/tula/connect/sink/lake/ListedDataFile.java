package dev.tula.connect.sink.lake;

import dev.tula.connect.sink.engine.TableFile;
import org.apache.iceberg.DataFile;

/**
 * A file that a snapshot lists.
 *
 * @param dataFile as Iceberg describes it
 */
public record ListedDataFile(DataFile dataFile) implements TableFile {
  @Override
  public String location() {
    return dataFile.location();
  }

  @Override
  public long rows() {
    return dataFile.recordCount();
  }
}
