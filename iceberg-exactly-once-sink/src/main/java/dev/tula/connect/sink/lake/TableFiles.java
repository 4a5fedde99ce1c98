package dev.tula.connect.sink.lake;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.RowField;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.model.RowSchema;
import dev.tula.connect.sink.engine.LakeException;
import dev.tula.connect.sink.engine.LogicalTable;
import dev.tula.connect.sink.engine.TableRows;
import dev.tula.connect.sink.engine.WatermarkRow;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.MetricsConfig;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.data.parquet.GenericParquetWriter;
import org.apache.iceberg.encryption.EncryptedOutputFile;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.parquet.Parquet;
import org.apache.iceberg.types.Types.NestedField;

/** Writes the Parquet files of tables. Safe for any thread. */
final class TableFiles {
  private static final String SUFFIX = ".parquet";

  private final Map<String, String> writeProps;
  private final ParquetMemory memory;
  private final Clock clock;
  private final Names names = new Names();

  /**
   * @param writeProps what the configuration sets for writing; it wins over a table's properties
   * @param maxRowGroupBytes what either may say of row groups is capped at this
   * @param clock tells when a watermark was published
   */
  TableFiles(Map<String, String> writeProps, long maxRowGroupBytes, Clock clock) {
    this.memory = new ParquetMemory(maxRowGroupBytes);
    this.writeProps = Map.copyOf(writeProps);
    this.clock = clock;
  }

  /**
   * Writes rows of one table.
   *
   * @throws LakeException that is lasting and names the position, if the table can't hold a row
   */
  DataFile writeRows(Table table, LogicalTable logical, String fileName, TableRows rows) {
    List<RowField> fields = LakeSchemas.columns(logical);
    RowSchema rowSchema = RowSchema.of(logical.kind());
    Schema schema = bound(table, fields.stream().map(RowField::name).toList());
    EncryptedOutputFile file = newFile(table, fileName);
    try {
      DataWriter<RowReader> writer =
          builder(table, schema, file)
              .createWriterFunc(type -> new CanonicalRowWriter(type, fields, rowSchema))
              .build();
      try (writer) {
        writeAll(table, rows, writer);
      }
      return writer.toDataFile();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Writes records with every column that the table has, whoever added it.
   *
   * @param seen is shown each record as it is written
   */
  DataFile writeRecords(
      Table table, String fileName, Iterator<Record> records, Consumer<Record> seen) {
    EncryptedOutputFile file = newFile(table, fileName);
    try {
      DataWriter<Record> writer =
          builder(table, table.schema(), file)
              .createWriterFunc(GenericParquetWriter::create)
              .build();
      try (writer) {
        while (records.hasNext()) {
          Record record = records.next();
          seen.accept(record);
          writer.write(record);
        }
      }
      return writer.toDataFile();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void writeAll(Table table, TableRows rows, DataWriter<RowReader> writer) {
    RowReader reader = new RowReader();
    rows.forEach(
        row -> {
          try {
            writer.write(reader.wrap(row));
          } catch (UnwritableRowException e) {
            throw LakeException.lasting(unwritable(table, row, e), e);
          }
        });
  }

  private static String unwritable(Table table, CanonicalRow row, UnwritableRowException why) {
    return "the row at "
        + row.position()
        + " can't be written to table "
        + table.name()
        + ": it "
        + why.getMessage();
  }

  /** Writes the one row of a watermark table. */
  DataFile writeWatermark(Table table, String fileName, WatermarkRow row) {
    Schema schema =
        bound(table, LakeSchemas.watermark().columns().stream().map(NestedField::name).toList());
    EncryptedOutputFile file = newFile(table, fileName);
    try {
      DataWriter<Record> writer =
          builder(table, schema, file).createWriterFunc(GenericParquetWriter::create).build();
      try (writer) {
        writer.write(record(schema, row));
      }
      return writer.toDataFile();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Record record(Schema schema, WatermarkRow row) {
    Record record = GenericRecord.create(schema);
    record.setField("pipeline", row.identity().pipeline());
    record.setField("generation", row.identity().generation());
    record.setField("partition", row.partition());
    record.setField("partition_count", row.identity().partitionCount());
    record.setField("global_batch_seq", row.watermark().globalBatchSeq());
    record.setField("array_index", row.watermark().arrayIndex());
    record.setField("closed_through", utc(row.closedThroughMicros()));
    record.setField("layout", row.identity().layout().configName());
    record.setField("include_metadata", row.identity().includeMetadata());
    record.setField("full_txn_record", row.identity().fullTxnRecord());
    record.setField("writer_epoch", row.writerEpoch());
    record.setField("kafka_topic", row.kafka().topic());
    record.setField("kafka_partition", row.kafka().partition());
    record.setField("kafka_offset", row.kafka().offset());
    record.setField(
        "updated_at", clock.instant().truncatedTo(ChronoUnit.MICROS).atOffset(ZoneOffset.UTC));
    return record;
  }

  private static OffsetDateTime utc(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS).atOffset(ZoneOffset.UTC);
  }

  /** Our columns as the table has them now: its ids and widths, without what others added. */
  private static Schema bound(Table table, List<String> columns) {
    return new Schema(columns.stream().map(name -> column(table, name)).toList());
  }

  private static NestedField column(Table table, String name) {
    NestedField column = table.schema().asStruct().field(name);
    if (column == null) {
      throw LakeException.lasting(
          "table " + table.name() + " has no column " + name + " any more; put it back", null);
    }
    return column;
  }

  private Parquet.DataWriteBuilder builder(Table table, Schema schema, EncryptedOutputFile file) {
    Map<String, String> properties = new HashMap<>(table.properties());
    properties.keySet().removeIf(key -> key.startsWith("tula."));
    properties.putAll(writeProps);
    memory.cap(properties);
    return Parquet.writeData(file)
        .schema(schema)
        .withSpec(table.spec())
        .setAll(properties)
        .metricsConfig(MetricsConfig.forTable(table))
        .withKeyMetadata(file.keyMetadata())
        .overwrite();
  }

  /**
   * A file that this has not written before. One of that name may belong to a commit that landed
   * unseen, so it is left alone, and the new one takes a number behind its name. Names hold their
   * writer's random id, so no other process takes them, and nothing needs to be listed for this.
   */
  private EncryptedOutputFile newFile(Table table, String fileName) {
    int namesakes;
    synchronized (names) {
      namesakes = names.merge(table.location() + "/" + fileName, 1, Integer::sum) - 1;
    }
    String name =
        namesakes == 0
            ? fileName
            : fileName.substring(0, fileName.length() - SUFFIX.length()) + "." + namesakes + SUFFIX;
    String location = table.locationProvider().newDataLocation(name);
    return table.encryption().encrypt(table.io().newOutputFile(location));
  }

  /** The names that were taken last, and how often. */
  private static final class Names extends LinkedHashMap<String, Integer> {
    private static final long serialVersionUID = 1L;
    private static final int MAX = 10_000;

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
      return size() > MAX;
    }
  }
}
