package dev.tula.connect.sink.lake;

import dev.tula.connect.sink.engine.StagedFile;
import org.apache.iceberg.DataFile;

/**
 * A staged file with the metrics that its snapshot will list.
 *
 * @param dataFile as Iceberg describes it
 */
record StagedDataFile(DataFile dataFile) implements StagedFile {
  @Override
  public String location() {
    return dataFile.location();
  }

  @Override
  public long rows() {
    return dataFile.recordCount();
  }
}
