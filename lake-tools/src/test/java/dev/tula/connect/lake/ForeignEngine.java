package dev.tula.connect.lake;

import dev.tula.connect.model.Position;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.DeleteFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.deletes.EqualityDeleteWriter;
import org.apache.iceberg.deletes.PositionDelete;
import org.apache.iceberg.deletes.PositionDeleteWriter;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.types.Types;

/** What others may do to a table: rewrite its files, with or without changing what is in them. */
final class ForeignEngine {
  private final Table table;

  ForeignEngine(Table table) {
    this.table = table;
  }

  /** Its files, oldest first; a scan plans manifests side by side and names them in any order. */
  List<DataFile> files() {
    List<DataFile> files = new ArrayList<>();
    try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
      tasks.forEach(task -> files.add(task.file()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    files.sort(Comparator.comparing(DataFile::fileSequenceNumber));
    return files;
  }

  private List<Record> rows() {
    List<Record> rows = new ArrayList<>();
    try (CloseableIterable<Record> records = IcebergGenerics.read(table).build()) {
      records.forEach(row -> rows.add(row.copy()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return rows;
  }

  /** Puts one file in the place of all, as a compaction does; no row may be added or left out. */
  void compact(Function<Record, Record> change) {
    List<Record> rows = rows().stream().map(change).toList();
    List<DataFile> old = files();
    var rewrite = table.newRewrite().validateFromSnapshot(table.currentSnapshot().snapshotId());
    old.forEach(rewrite::deleteFile);
    rewrite.addFile(write(rows)).commit();
  }

  /** Puts several files in the place of all, each with some rows of everywhere, in no order. */
  void scatter(int count) {
    List<Record> rows = rows();
    Collections.reverse(rows);
    List<DataFile> old = files();
    var rewrite = table.newRewrite().validateFromSnapshot(table.currentSnapshot().snapshotId());
    old.forEach(rewrite::deleteFile);
    for (int i = 0; i < count; i++) {
      int part = i;
      rewrite.addFile(
          write(
              IntStream.range(0, rows.size())
                  .filter(at -> at % count == part)
                  .mapToObj(rows::get)
                  .toList()));
    }
    rewrite.commit();
  }

  /** Removes all history that it can. */
  void expire() {
    table.expireSnapshots().expireOlderThan(Long.MAX_VALUE).retainLast(1).commit();
  }

  /** Puts other rows in the place of all, as an UPDATE or DELETE does. */
  void overwrite(Function<List<Record>, List<Record>> change) {
    List<Record> rows = change.apply(rows());
    List<DataFile> old = files();
    var overwrite = table.newOverwrite();
    old.forEach(overwrite::deleteFile);
    overwrite.addFile(write(rows)).commit();
  }

  /** Takes a file out of the table. */
  void dropFile(DataFile file) {
    table.newDelete().deleteFile(file).commit();
  }

  /** How an engine that merges on read says that a row is gone. */
  enum Delete {
    BY_POSITION {
      @Override
      DeleteFile write(Table table, DataFile file, Record first) throws IOException {
        PositionDelete<Record> delete = PositionDelete.create();
        PositionDeleteWriter<Record> writer =
            Parquet.writeDeletes(newFile(table)).withSpec(table.spec()).buildPositionWriter();
        try (writer) {
          writer.write(delete.set(file.location(), 0));
        }
        return writer.toDeleteFile();
      }
    },
    BY_EQUALITY {
      @Override
      DeleteFile write(Table table, DataFile file, Record first) throws IOException {
        Schema key = table.schema().select("global_batch_seq", "array_index");
        EqualityDeleteWriter<Record> writer =
            Parquet.writeDeletes(newFile(table))
                .withSpec(table.spec())
                .rowSchema(key)
                .equalityFieldIds(key.columns().stream().map(Types.NestedField::fieldId).toList())
                .createWriterFunc(GenericParquetWriter::create)
                .buildEqualityWriter();
        Record row = GenericRecord.create(key);
        key.columns().forEach(field -> row.setField(field.name(), first.getField(field.name())));
        try (writer) {
          writer.write(row);
        }
        return writer.toDeleteFile();
      }
    };

    /** Deletes a file's first row. */
    abstract DeleteFile write(Table table, DataFile file, Record first) throws IOException;
  }

  /** Puts the table's first row in anew, as an UPDATE does that merges on read. */
  void updateOneRow(Delete delete) {
    DataFile oldest = files().get(0);
    Record first = rows().stream().min(Comparator.comparing(ForeignEngine::position)).orElseThrow();
    try {
      table
          .newRowDelta()
          .addDeletes(delete.write(table, oldest, first))
          .addRows(write(List.of(first)))
          .commit();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Position position(Record row) {
    return new Position(
        (Long) row.getField("global_batch_seq"), (Integer) row.getField("array_index"));
  }

  /** The positions of the rows that a reader sees. */
  List<Position> positions() {
    return rows().stream().map(ForeignEngine::position).sorted().toList();
  }

  private static OutputFile newFile(Table table) {
    return table
        .io()
        .newOutputFile(table.locationProvider().newDataLocation(UUID.randomUUID() + ".parquet"));
  }

  private DataFile write(List<Record> rows) {
    OutputFile file = newFile(table);
    try {
      DataWriter<Record> writer =
          Parquet.writeData(file)
              .schema(table.schema())
              .withSpec(table.spec())
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
