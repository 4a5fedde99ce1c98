package dev.tula.connect.sink.lake;

import dev.tula.connect.model.CanonicalRow;
import dev.tula.connect.model.Position;
import dev.tula.connect.model.RowReader;
import dev.tula.connect.model.RowSchema;
import dev.tula.connect.sink.engine.LogicalTable;
import java.math.BigInteger;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.StreamSupport;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.Record;

/**
 * Writes the rows of several files into one, and believes nothing of it but what it reads back.
 *
 * <p>For one thread.
 */
final class FileRewrite {
  private final Table table;
  private final LogicalTable logical;
  private final TableFiles files;

  FileRewrite(Table table, LogicalTable logical, TableFiles files) {
    this.table = table;
    this.logical = logical;
    this.files = files;
  }

  /** Merges files by position. */
  IcebergLake.RewrittenFile merge(List<DataFile> sources, String fileName) {
    try (MergedRecords records = new MergedRecords(table, sources)) {
      return write(fileName, records);
    }
  }

  /** Leaves rows out of one file, and everything else as it is. */
  IcebergLake.RewrittenFile without(DataFile source, Set<Position> positions, String fileName) {
    try (MergedRecords records = MergedRecords.asTheyAre(table, source)) {
      return write(
          fileName,
          StreamSupport.stream(
                  Spliterators.spliteratorUnknownSize(records, Spliterator.ORDERED), false)
              .filter(row -> !positions.contains(records.position(row)))
              .iterator());
    }
  }

  private IcebergLake.RewrittenFile write(String fileName, Iterator<Record> records) {
    Content read = new Content();
    DataFile written = files.writeRecords(table, fileName, records, read::add);
    Content again = new Content();
    try (MergedRecords reading = MergedRecords.asTheyAre(table, written)) {
      reading.forEachRemaining(again::add);
    }
    if (!read.isSameAs(again)) {
      throw new ChangedRowsException(
          "file "
              + written.location()
              + " of table "
              + table.name()
              + " does not hold what was written to it: "
              + again.sums()
              + " where there were "
              + read.sums()
              + ". No snapshot lists it; look at the storage",
          null);
    }
    return new IcebergLake.RewrittenFile(new StagedDataFile(written), read.sums());
  }

  /** What went by: how many rows, their amounts, and a digest of all their bytes. */
  private final class Content {
    private final RecordEncoder encoder = new RecordEncoder(table.name(), logical);
    private final RowReader reader = new RowReader();
    private final MessageDigest digest = sha256();
    private long rows;
    private BigInteger amountSum = BigInteger.ZERO;

    void add(Record record) {
      CanonicalRow row = encoder.encode(record);
      digest.update(row.array(), row.offset(), row.length());
      rows++;
      if (logical.hasAmounts()) {
        amountSum = amountSum.add(reader.wrap(row).amount(RowSchema.AMOUNT_FIELD));
      }
    }

    boolean isSameAs(Content other) {
      return rows == other.rows && Arrays.equals(digest.digest(), other.digest.digest());
    }

    RowSums sums() {
      return new RowSums(rows, logical.hasAmounts() ? Optional.of(amountSum) : Optional.empty());
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
