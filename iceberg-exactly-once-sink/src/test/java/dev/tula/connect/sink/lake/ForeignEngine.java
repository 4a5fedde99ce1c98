package dev.tula.connect.sink.lake;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.sink.engine.StagedFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.Table;
import org.apache.iceberg.io.CloseableIterable;

/** What other engines and maintenance jobs do to our tables. */
final class ForeignEngine {
  private ForeignEngine() {}

  /** Appends rows without a word of state. */
  static void append(LakeFixture fixture, int rows) {
    Range range = new Range(Position.batchEnd(900), Position.batchEnd(900 + rows));
    fixture.foreign().newAppend().appendFile(file(fixture, range)).commit();
  }

  static DataFile file(LakeFixture fixture, Range range) {
    StagedFile staged =
        fixture.lake.stage(
            LakeFixture.TABLE,
            "foreign-" + UUID.randomUUID() + ".parquet",
            LakeFixture.rows(range));
    return ((StagedDataFile) staged).dataFile();
  }

  /** Rewrites every file as one with the same rows. */
  static void compact(LakeFixture fixture) {
    Table table = fixture.foreign();
    long rows = fixture.view().totalRecords();
    DataFile whole = file(fixture, LakeFixture.range(0, rows));
    RewriteFiles rewrite = table.newRewrite();
    files(table).forEach(rewrite::deleteFile);
    rewrite.addFile(whole).commit();
  }

  static Set<DataFile> files(Table table) {
    try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
      return StreamSupport.stream(tasks.spliterator(), false)
          .map(FileScanTask::file)
          .collect(Collectors.toSet());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
