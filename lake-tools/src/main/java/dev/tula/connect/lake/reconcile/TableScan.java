package dev.tula.connect.lake.reconcile;

import dev.tula.connect.lake.output.ToolException;
import dev.tula.connect.model.Position;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.apache.iceberg.Table;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.io.CloseableIterable;

/**
 * Reads position and amount of every row that a table's snapshot lists, file by file, and counts
 * them. Not thread-safe.
 */
final class TableScan {
  private static final long REPORT_EVERY = 10_000;

  private final Table table;
  private final String name;
  private final boolean hasAmounts;
  private final Differences differences;
  private final Sections sections;
  private long rows;
  private BigInteger amountSum = BigInteger.ZERO;

  /**
   * @param table as it was loaded; its current snapshot is read
   * @param name the table's name, for messages
   * @param hasAmounts whether amounts are summed
   * @param sections what rows are expected; each row found is counted there
   * @param differences where differences go
   */
  TableScan(
      Table table, String name, boolean hasAmounts, Sections sections, Differences differences) {
    this.table = table;
    this.name = name;
    this.hasAmounts = hasAmounts;
    this.sections = sections;
    this.differences = differences;
  }

  /**
   * Reads them.
   *
   * @param progress is told now and then how many rows were read
   * @return whether all could be read; if not, a difference says why
   * @throws ToolException if the storage fails, or the table changes meanwhile
   */
  boolean run(LongConsumer progress) {
    if (table.currentSnapshot() == null) {
      return true;
    }
    List<String> columns = new ArrayList<>(List.of("global_batch_seq", "array_index"));
    if (hasAmounts) {
      columns.add("amount");
    }
    Optional<String> missing =
        columns.stream().filter(column -> table.schema().findField(column) == null).findFirst();
    if (missing.isPresent()) {
      differences.add("its rows can't be read: it has no column " + missing.get());
      return false;
    }
    try (CloseableIterable<Record> records =
        IcebergGenerics.read(table)
            .useSnapshot(table.currentSnapshot().snapshotId())
            .select(columns)
            .build()) {
      for (Record record : records) {
        count(record);
        if (rows % REPORT_EVERY == 0) {
          progress.accept(rows);
        }
      }
      return true;
    } catch (IOException e) {
      throw ToolException.error("can't read table " + name + ": " + e.getMessage(), e);
    } catch (RuntimeException e) {
      return failed(e);
    }
  }

  private void count(Record record) {
    rows++;
    Object batch = record.getField("global_batch_seq");
    Object index = record.getField("array_index");
    Object amount = hasAmounts ? record.getField("amount") : BigDecimal.ZERO;
    if (batch == null || index == null || amount == null) {
      differences.add("a row at " + batch + ":" + index + " lacks its position or amount");
      return;
    }
    BigInteger value = ((BigDecimal) amount).toBigIntegerExact();
    amountSum = amountSum.add(value);
    try {
      sections.found(new Position((Long) batch, (Integer) index), value);
    } catch (IllegalArgumentException e) {
      differences.add("a row has the impossible position " + batch + ":" + index);
    }
  }

  /** A file that is gone or no file of ours is a finding; anything else may pass. */
  private boolean failed(RuntimeException failure) {
    if (!LostFiles.isLost(failure)) {
      throw ToolException.error(
          "can't read the rows of table " + name + ": " + failure.getMessage(), failure);
    }
    long snapshotId = table.currentSnapshot().snapshotId();
    table.refresh();
    if (table.currentSnapshot() == null || table.currentSnapshot().snapshotId() != snapshotId) {
      throw ToolException.error(
          "table "
              + name
              + " was changed while it was read, and files of the snapshot were removed. Run the"
              + " command again",
          failure);
    }
    differences.add(
        "its snapshot " + snapshotId + " lists a file that can't be read: " + failure.getMessage());
    return false;
  }

  /** The rows that were read. */
  long rows() {
    return rows;
  }

  /** The sum of their amounts. */
  BigInteger amountSum() {
    return amountSum;
  }
}
