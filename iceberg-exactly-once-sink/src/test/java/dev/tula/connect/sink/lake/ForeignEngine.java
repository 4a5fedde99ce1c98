package dev.tula.connect.sink.lake;

import dev.tula.connect.model.Position;
import dev.tula.connect.model.Range;
import dev.tula.connect.sink.engine.StagedFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.HasTableOperations;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableMetadata;
import org.apache.iceberg.TableMetadataParser;
import org.apache.iceberg.TableOperations;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.deletes.PositionDelete;
import org.apache.iceberg.deletes.PositionDeleteWriter;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.parquet.Parquet;

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

  /** Puts a document in the place of the table's metadata, as no engine should. */
  static void forge(LakeFixture fixture, String table, UnaryOperator<String> edit) {
    TableOperations operations = ((HasTableOperations) fixture.foreign(table)).operations();
    TableMetadata base = operations.current();
    operations.commit(
        base, TableMetadataParser.fromJson(edit.apply(TableMetadataParser.toJson(base))));
  }

  /** Deletes one row by a position delete, as a merge-on-read engine does. */
  static void deleteOneRowByPosition(LakeFixture fixture) {
    Table table = fixture.foreign();
    DataFile file = files(table).iterator().next();
    String location = table.locationProvider().newDataLocation("foreign-deletes.parquet");
    PositionDelete<Record> delete = PositionDelete.create();
    PositionDeleteWriter<Record> writer;
    try {
      writer =
          Parquet.writeDeletes(table.io().newOutputFile(location))
              .withSpec(table.spec())
              .overwrite()
              .buildPositionWriter();
      try (writer) {
        writer.write(delete.set(file.location(), 0));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    table.newRowDelta().addDeletes(writer.toDeleteFile()).commit();
  }

  /** A file with all of the table's rows. */
  static DataFile copy(Table table) {
    try (CloseableIterable<Record> rows = IcebergGenerics.read(table).build()) {
      return write(table, rows);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A file with rows that is no file of the table yet. */
  static DataFile write(Table table, Iterable<Record> rows) {
    String location = table.locationProvider().newDataLocation(UUID.randomUUID() + ".parquet");
    try {
      DataWriter<Record> writer =
          Parquet.writeData(table.io().newOutputFile(location))
              .forTable(table)
              .createWriterFunc(GenericParquetWriter::create)
              .build();
      try (writer) {
        rows.forEach(writer::write);
      }
      return writer.toDataFile();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
